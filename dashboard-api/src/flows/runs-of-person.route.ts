import { runEvents, runStep, runsIn } from '@tidings/administration'
import type { Recorded } from '@tidings/codec'
import { FlowProfileParams, FlowRuns } from '@tidings/contracts'
import type { EnrolmentEvent } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { knownContact } from '../profiles/known-contact.ts'
import { editableFlow } from './flows.ts'

const schema = {
  operationId: 'flows.readRuns',
  summary: "A person's last runs through a flow, step by step",
  tags: ['flows'],
  params: FlowProfileParams,
  response: { 200: FlowRuns },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['flow_not_found', 'contact_not_found'] } as const

/** An event lets a contact in again and again: no more of the last events of its runs than this are read. */
const MOST_EVENTS = 500
const MOST_RUNS = 10

const stepOf = (event: Recorded<EnrolmentEvent>) => {
  const { at, type, step, says } = runStep(event)
  return { at, type, step, messageId: 'messageId' in event.data ? event.data.messageId : null, says }
}

export function runsOfPerson(app: App, deps: Pick<DashboardDependencies, 'commands' | 'log'>): void {
  app.get('/flows/:id/profiles/:contactId', { schema, config }, async ({ tenant: { workspaceId }, params }) => {
    const of = { workspaceId, flowId: params.id, contactId: params.contactId }
    await readRecord(deps, workspaceId, editableFlow(of))
    await knownContact(deps, of)
    const { events, hasEarlier } = await runEvents(deps.log, of, MOST_EVENTS)
    const runs = runsIn(events, stepOf).toReversed()
    const items = runs.slice(0, MOST_RUNS).map(({ steps, ...run }) => ({ ...run, steps: [...steps] }))
    return { items, earlier: hasEarlier || runs.length > MOST_RUNS }
  })
}
