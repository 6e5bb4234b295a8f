import { waitUntilVisible } from '@tidings/administration'
import { recordIdOf } from '@tidings/codec'
import { NewFlowBody, ShownFlow } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { definitionOf } from './definition.ts'
import { editableFlow, shownFlow } from './flows.ts'

const schema = {
  operationId: 'flows.create',
  summary: 'Make a flow, which lets contacts in from now on',
  tags: ['flows'],
  body: NewFlowBody,
  response: { 201: ShownFlow },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['flow_name_taken', 'flow_limit_reached'] } as const

/** Its id follows from its name, as in a file of `apply`: the same record from either side, and no name twice. */
export function createFlow(app: App, deps: DashboardDependencies): void {
  app.post('/flows', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name, ...asked } = request.body
    const definition = await definitionOf(deps, workspaceId, asked)
    const flowId = recordIdOf(workspaceId, 'flow', name)
    const { decider, stream, recordIn } = editableFlow({ workspaceId, flowId })
    const { position } = await createRecord(deps, request, {
      decider,
      stream,
      command: { type: 'ConfigureFlow', data: { flowId, name, ...definition, retired: false } },
      exists: (state) => recordIn(state) !== null,
      taken: 'flow_name_taken',
    })
    await waitUntilVisible(deps, reply, { position, projections: ['flows'] })
    reply.code(201)
    return await shownFlow(deps, { workspaceId, flowId })
  })
}
