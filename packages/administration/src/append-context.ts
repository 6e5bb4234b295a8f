import type { AppendContext } from '@tidings/codec'
import { INSTALLATION } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'

/**
 * Actor, time and command id of every event of a request. A caller may send one `X-Request-Id` with many requests: the causation id
 * then distinguishes their events. Where it acts on no workspace, it acts on the installation.
 */
export function appendContext(
  { tenant, user, commandId, id, headers }: Pick<FastifyRequest, 'tenant' | 'user' | 'commandId' | 'id' | 'headers'>,
  at: string,
): AppendContext {
  return {
    commandId,
    workspaceId: tenant === null ? INSTALLATION : tenant.workspaceId,
    actor: user === null ? `key:${tenant.keyId}` : `${user.actsAsOperator ? 'operator' : 'user'}:${user.userId}`,
    requestId: id,
    ...(headers['x-request-id'] === id && { causationId: commandId }),
    at,
  }
}
