import { waitUntilVisible } from '@tidings/administration'
import { DeadLetterParams, DiscardDeadLetterBody, ShownDeadLetter } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import { redriveDeadLetter } from '@tidings/jobs'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingLetter, shownLetter } from './shown-letter.ts'

const base = { tags: ['dead letters'], params: DeadLetterParams, response: { 200: ShownDeadLetter } }
const retrySchema = { ...base, operationId: 'deadLetters.retry', summary: 'Try again what failed too often' }
const discardSchema = {
  ...{ ...base, operationId: 'deadLetters.discard', summary: 'Give up what failed too often, with a reason' },
  description: 'A message that it was to send has failed by that.',
  body: DiscardDeadLetterBody,
}

const refusals = ['dead_letter_not_found', 'dead_letter_settled'] as const
const retryConfig = { access: 'session', dashboard: { role: 'admin', notes: 'retry' }, refusals } as const
const discardConfig = { access: 'session', dashboard: { role: 'admin', notes: 'discard' }, refusals } as const

/** Both as `tidings dlq` does. No events of a person who acts: who did it is noted (M86). */
export function settleDeadLetter(app: App, deps: DashboardDependencies): void {
  app.post('/dead-letters/:id/retry', { schema: retrySchema, config: retryConfig }, async ({ tenant: { workspaceId }, params: { id } }) => {
    const of = { workspaceId, id }
    await existingLetter(deps, of)
    if (!(await redriveDeadLetter(deps.pool, id))) throw new Refused('dead_letter_settled')
    return shownLetter(await existingLetter(deps, of))
  })

  app.post('/dead-letters/:id/discard', { schema: discardSchema, config: discardConfig }, async (request, reply) => {
    const of = { workspaceId: request.tenant.workspaceId, id: request.params.id }
    const { discarded, position } = await deps.discardLetter(await existingLetter(deps, of), request.body.reason)
    if (!discarded) throw new Refused('dead_letter_settled')
    await waitUntilVisible(deps, reply, { position, projections: ['messages'] })
    return shownLetter(await existingLetter(deps, of))
  })
}
