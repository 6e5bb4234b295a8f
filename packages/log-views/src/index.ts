export { createFollowedStates } from './followed-states.ts'
export { createFollower, type Follower } from './follower.ts'
export type { LogView } from './log-view.ts'
export { createReferenceCache, type LoadedRows, type ReferenceCache } from './reference-cache.ts'
