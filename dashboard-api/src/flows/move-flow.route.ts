import { waitUntilVisible } from '@tidings/administration'
import { FlowParams, ShownFlow } from '@tidings/contracts'
import type { FlowCommand, FlowId, flows } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableFlow, shownFlow } from './flows.ts'

type FlowRecord = (typeof flows.initialState)[string]

const shape = { tags: ['flows'], params: FlowParams, response: { 200: ShownFlow } }

const config = { access: 'session', dashboard: { role: 'member' }, edits: true, refusals: ['flow_not_found'] } as const

const retiring =
  (retired: boolean) =>
  (flowId: FlowId, { name, trigger, steps }: FlowRecord): FlowCommand => ({
    type: 'ConfigureFlow',
    data: { flowId, name, trigger, steps, retired },
  })

const MOVES = [
  {
    verb: 'pause',
    summary: 'Let no contact into a flow, and let what comes due wait (D11)',
    commandFor: (flowId: FlowId): FlowCommand => ({ type: 'PauseFlow', data: { flowId } }),
  },
  {
    verb: 'resume',
    summary: 'Let a paused flow go on, also with what came due in the last 24 hours (D11)',
    commandFor: (flowId: FlowId): FlowCommand => ({ type: 'ResumeFlow', data: { flowId } }),
  },
  { verb: 'retire', summary: 'Let no contact into a flow any more; those inside go on to its end (D10)', commandFor: retiring(true) },
  { verb: 'restore', summary: 'Let contacts into a retired flow again (D10)', commandFor: retiring(false) },
] as const

/** Each asks for the etag of what the page has shown: somebody who stops a flow has seen what it does now (M74). */
export function moveFlow(app: App, deps: DashboardDependencies): void {
  for (const { verb, summary, commandFor } of MOVES) {
    const schema = { ...shape, operationId: `flows.${verb}`, summary }
    app.post(`/flows/:id/${verb}`, { schema, config }, async (request, reply) => {
      const of = { workspaceId: request.tenant.workspaceId, flowId: request.params.id }
      const { position } = await saveRecord(deps, request, {
        editable: editableFlow(of),
        commandFor: (record) => commandFor(of.flowId, record),
      })
      await waitUntilVisible(deps, reply, { position, projections: ['flows'] })
      return await shownFlow(deps, of)
    })
  }
}
