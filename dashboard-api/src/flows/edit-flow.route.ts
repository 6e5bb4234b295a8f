import { waitUntilVisible } from '@tidings/administration'
import { EditFlowBody, FlowParams, ShownFlow } from '@tidings/contracts'
import type { FlowCommand } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { definitionOf } from './definition.ts'
import { editableFlow, shownFlow } from './flows.ts'

const schema = {
  operationId: 'flows.edit',
  summary: 'Give a flow another trigger or other steps, as a new version; those inside finish the one that they entered (M38)',
  tags: ['flows'],
  params: FlowParams,
  body: EditFlowBody,
  response: { 200: ShownFlow },
}

const config = { access: 'session', dashboard: { role: 'member' }, edits: true, refusals: ['flow_not_found'] } as const

/** It changes nothing but the version: a paused flow stays paused, a retired one retired. */
export function editFlow(app: App, deps: DashboardDependencies): void {
  app.put('/flows/:id', { schema, config }, async (request, reply) => {
    const of = { workspaceId: request.tenant.workspaceId, flowId: request.params.id }
    const editable = editableFlow(of)
    await readRecord(deps, of.workspaceId, editable)
    const definition = await definitionOf(deps, of.workspaceId, request.body)
    const { position } = await saveRecord(deps, request, {
      editable,
      commandFor: ({ name, retired }): FlowCommand => ({
        type: 'ConfigureFlow',
        data: { flowId: of.flowId, name, ...definition, retired },
      }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['flows'] })
    return await shownFlow(deps, of)
  })
}
