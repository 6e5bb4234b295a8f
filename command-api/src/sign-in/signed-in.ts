import type { SignedIn } from '@tidings/contracts'
import type { FastifyRequest } from 'fastify'

type User = Omit<NonNullable<FastifyRequest['user']>, 'actsAsOperator'>

/** A user as the routes of `/auth` show them (N442). */
export function toSignedIn({ userId, email, role, workspace, isOperator }: User): SignedIn {
  return { user: { id: userId, email, role: workspace === null ? 'operator' : role }, workspace, ...(isOperator && { operator: true }) }
}
