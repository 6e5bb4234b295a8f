export { DASHBOARD_ROLES } from './auth/dashboard-roles.ts'
export { keyUsage } from './auth/key-usage.ts'
export { presentsPublishableKey } from './auth/presented-key.ts'
export { type AuthenticateSession, SESSION_COOKIE, sessionAuthentication, shownSession } from './auth/session.ts'
export { throughSessionDoor } from './auth/session-door.ts'

export type { App } from './bare-app.ts'
export { limitKeyOf } from './client/parse-address.ts'
export { type AppParts, closeGracefully, createAdminApp, createApp } from './create-app.ts'

export { invalidRequest, invalidSignature, RequestRefused, unavailable } from './errors/problems.ts'
export { refusal, refusals } from './errors/refusals.ts'
export { toProblem } from './errors/to-problem.ts'
export { notReady, type ReadinessCheck } from './health.ts'
export { forgetAnswers, type Sealer } from './idempotency/idempotency.ts'
export { deleteExpiredIdempotency, releaseIdempotencyKeys } from './idempotency/table.ts'

export { dashboardDocument, openApiText } from './openapi/documentation.ts'
export { page, windowOf } from './pagination.ts'
export type { RateCounters } from './rate-limit/counters.ts'
export { memoryCounters } from './rate-limit/memory-counters.ts'

export { type SharedRateLimits, sharedRateLimits } from './rate-limit/shared-counters.ts'
export { staticText } from './static-text.ts'
