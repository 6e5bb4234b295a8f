import type { AppendContext } from '@tidings/codec'
import type { FastifyRequest } from 'fastify'

/**
 * Actor, time and command id of every event of a request. A caller may send one `X-Request-Id` with many requests: the causation id
 * then distinguishes their events.
 */
export function appendContext(
  { tenant, user, commandId, id, headers }: Pick<FastifyRequest, 'tenant' | 'user' | 'commandId' | 'id' | 'headers'>,
  at: string,
): AppendContext {
  return {
    commandId,
    workspaceId: tenant.workspaceId,
    actor: user === null ? `key:${tenant.keyId}` : `${user.actsAsOperator ? 'operator' : 'user'}:${user.userId}`,
    requestId: id,
    ...(headers['x-request-id'] === id && { causationId: commandId }),
    at,
  }
}
