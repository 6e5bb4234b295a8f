export { createLinks, LINK_PATHS, type Links } from './links.ts'
export { isMachineAgent } from './machine-agent.ts'
