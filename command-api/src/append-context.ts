import type { AppendContext } from '@tidings/codec'
import type { FastifyRequest } from 'fastify'

/**
 * Who does it, since when, and under which command id: what every event of a request is written with. A caller may send one `X-Request-Id`
 * with many requests: then the command's id tells their events apart.
 */
export const appendContext = (
  { tenant, commandId, id, headers }: Pick<FastifyRequest, 'tenant' | 'commandId' | 'id' | 'headers'>,
  at: string,
): AppendContext => ({
  commandId,
  workspaceId: tenant.workspaceId,
  actor: `key:${tenant.keyId}`,
  requestId: id,
  ...(headers['x-request-id'] === id && { causationId: commandId }),
  at,
})
