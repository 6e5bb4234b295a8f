import { asWorkspaceId, NIL_ID, Refused, type WorkspaceId } from '@tidings/domain'
import { shownSession } from '@tidings/http'
import type { FastifyRequest } from 'fastify'

type Caller = Readonly<{ token: string; workspaceId: WorkspaceId; userId: string }>

/** The session that asks and its user, in the workspace where they are one: an operator is a user of the installation, whichever workspace they look at. */
export function callerOf(request: Pick<FastifyRequest, 'user' | 'headers'>): Caller {
  const shown = shownSession(request)
  const { user } = request
  if (shown === null || user === null) throw new Refused('authentication_required')
  return { token: shown.token, workspaceId: user.workspace?.id ?? asWorkspaceId(NIL_ID), userId: user.userId }
}
