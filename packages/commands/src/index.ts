export { type Clock, systemClock } from './clock.ts'
export * from './command-runner.ts'
export type { Draft } from './draft.ts'
export * from './errors.ts'
export type * from './execution.ts'
export { type FollowOptions, followLog, type LogFollower, type LogListener } from './reference/follow-log.ts'
export {
  type Invalidating,
  type LoadedRows,
  type ReferenceCache,
  type ReferenceCacheOptions,
  referenceCache,
} from './reference/reference-cache.ts'
export { writtenBy } from './written-by.ts'
