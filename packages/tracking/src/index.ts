export { createLinks, type Links } from './links.ts'
export { isMachineAgent } from './machine-agent.ts'
