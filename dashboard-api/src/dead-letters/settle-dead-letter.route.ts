import type { Static } from '@sinclair/typebox'
import { waitUntilVisible } from '@tidings/administration'
import { DeadLetterParams, DiscardDeadLetterBody, ShownDeadLetter } from '@tidings/contracts'
import { INSTALLATION, Refused } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import { redriveDeadLetter } from '@tidings/jobs'
import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingLetter, letterOfId, shownLetter } from './shown-letter.ts'

const base = { params: DeadLetterParams, response: { 200: ShownDeadLetter } }
const retrySchema = { ...base, summary: 'Try again what failed too often' }
const discardSchema = {
  ...{ ...base, summary: 'Give up what failed too often, with a reason' },
  description: 'A message that it was to send has failed by that.',
  body: DiscardDeadLetterBody,
}

const refusals = ['dead_letter_not_found', 'dead_letter_settled'] as const

/** `finding`: sets the workspace of the request where the session says none. */
type Door = Readonly<{ path: string; role: 'admin' | 'operator'; tag: string; ids: readonly [string, string]; finding: Finding[] }>
type Finding = preHandlerAsyncHookHandler

const operatesAs = (role: Door['role'], act: 'retry' | 'discard') =>
  role === 'operator' && { operates: { act, thing: ({ params }: FastifyRequest) => (params as Static<typeof DeadLetterParams>).id } }

/** Both as `tidings dlq` does. No events of a person who acts: who did it is noted (M86). */
function settleThrough(
  { path, role, tag, ids: [retryId, discardId], finding: preHandler }: Door,
  app: App,
  deps: DashboardDependencies,
): void {
  const retry = { ...retrySchema, operationId: retryId, tags: [tag] }
  const retryConfig = { access: 'session', dashboard: { role, notes: 'retry', ...operatesAs(role, 'retry') }, refusals } as const
  app.post(`${path}/:id/retry`, { schema: retry, config: retryConfig, preHandler }, async ({ tenant: { workspaceId }, params: { id } }) => {
    const of = { workspaceId, id }
    const { source } = await existingLetter(deps, of)
    if (source === 'record') throw invalidRequest('records of Kafka that are no events cannot be tried again: discard them')
    if (!(await redriveDeadLetter(deps.pool, id))) throw new Refused('dead_letter_settled')
    return shownLetter(await existingLetter(deps, of))
  })

  const discard = { ...discardSchema, operationId: discardId, tags: [tag] }
  const discardConfig = { access: 'session', dashboard: { role, notes: 'discard', ...operatesAs(role, 'discard') }, refusals } as const
  app.post(`${path}/:id/discard`, { schema: discard, config: discardConfig, preHandler }, async (request, reply) => {
    const of = { workspaceId: request.tenant.workspaceId, id: request.params.id }
    const { discarded, position } = await deps.discardLetter(await existingLetter(deps, of), request.body.reason)
    if (!discarded) throw new Refused('dead_letter_settled')
    await waitUntilVisible(deps, reply, { position, projections: ['messages'] })
    return shownLetter(await existingLetter(deps, of))
  })
}

/** Operators act on any dead letter. Whatever the session says, it is noted in the workspace that the letter is of. */
const findingWorkspace =
  (deps: DashboardDependencies): Finding =>
  async (request) => {
    const { id } = request.params as Readonly<{ id: string }>
    const { workspaceId } = await letterOfId(deps, id)
    const keyId = request.user?.userId ?? ''
    request.tenant = { workspaceId: workspaceId ?? INSTALLATION, slug: '', keyId, status: 'active' }
  }

export function settleDeadLetter(app: App, deps: DashboardDependencies): void {
  const own = ['deadLetters.retry', 'deadLetters.discard'] as const
  const all = ['system.retryDeadLetter', 'system.discardDeadLetter'] as const
  settleThrough({ path: '/dead-letters', role: 'admin', tag: 'dead letters', ids: own, finding: [] }, app, deps)
  settleThrough({ path: '/system/dead-letters', role: 'operator', tag: 'system', ids: all, finding: [findingWorkspace(deps)] }, app, deps)
}
