import type { SignedIn } from '@tidings/contracts'
import type { FastifyRequest } from 'fastify'

type User = NonNullable<FastifyRequest['user']>

/** A user as the routes of `/auth` show them (N442). */
export function toSignedIn({ userId, email, role, workspaceId, slug }: User): SignedIn {
  return { user: { id: userId, email, role }, workspace: { id: workspaceId, slug } }
}
