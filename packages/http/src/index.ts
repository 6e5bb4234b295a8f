export { keyUsage } from './auth/key-usage.ts'
export { type AuthenticateSession, SESSION_COOKIE, sessionAuthentication, shownSession } from './auth/session.ts'

export type { App } from './bare-app.ts'
export { createAdminApp } from './create-admin-app.ts'
export { type AppParts, createApp } from './create-app.ts'

export { invalidRequest, RequestRefused, unavailable } from './errors/problems.ts'
export { refusal } from './errors/refusal.ts'
export { refusals } from './errors/refusals.ts'
export { toProblem } from './errors/to-problem.ts'
export { closeGracefully } from './graceful-close.ts'
export type { ReadinessCheck } from './health.ts'
export type { Sealer } from './idempotency/idempotency.ts'
export { releaseIdempotencyKeys } from './idempotency/release-all.ts'
export { deleteExpiredIdempotency } from './idempotency/table.ts'

export { metrics } from './metrics.ts'
export { openApiText } from './openapi.ts'
export { page, windowOf } from './pagination.ts'
export type { RateCounters } from './rate-limit/counters.ts'
export { memoryCounters } from './rate-limit/memory-counters.ts'

export { type SharedRateLimits, sharedRateLimits } from './rate-limit/shared-rate-limits.ts'
