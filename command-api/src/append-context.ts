import type { AppendContext } from '@tidings/codec'
import type { FastifyRequest } from 'fastify'

/** Who does it, since when, and under which command id: what every event of a request is written with. */
export const appendContext = ({ tenant, commandId, id }: FastifyRequest, at: string): AppendContext => ({
  commandId,
  workspaceId: tenant.workspaceId,
  actor: `key:${tenant.keyId}`,
  requestId: id,
  at,
})
