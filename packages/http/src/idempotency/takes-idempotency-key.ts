import type { RouteConfig } from '../route-config.ts'

const MUTATING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Whether a route takes an `Idempotency-Key` (M1): it writes, and for the installation or a workspace that is known before its handler. Requests to
 * others may carry one, which does nothing.
 */
export function takesIdempotencyKey({ raw, ownCallerOnly, access, findsWorkspace }: RouteConfig, method: string): boolean {
  if (raw || ownCallerOnly || !MUTATING.has(method)) return false
  return access !== 'open' || findsWorkspace === true
}
