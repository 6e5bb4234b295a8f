export { ContactPointTaken } from './claims/contact-point-taken.ts'
export { contactPoints } from './claims/contact-points.ts'
export type * from './claims/requests.ts'
export type { ContactPointsOptions } from './claims/tools.ts'
export * from './command-runner.ts'
export type { Draft } from './draft.ts'
export * from './errors.ts'
export type * from './execution.ts'
export type { Pace } from './pace.ts'
export { applyReceipt, type Receipt, type ReceiptApplied } from './receipts/apply-receipt.ts'
export { type FollowOptions, followLog, type LogFollower, type LogListener } from './reference/follow-log.ts'
export {
  type Invalidating,
  type LoadedRows,
  type ReferenceCache,
  type ReferenceCacheOptions,
  referenceCache,
} from './reference/reference-cache.ts'
export { writtenBy } from './written-by.ts'
