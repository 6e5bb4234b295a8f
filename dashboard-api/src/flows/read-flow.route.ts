import { FlowParams, ShownFlow } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { shownFlow } from './flows.ts'

const schema = {
  operationId: 'flows.get',
  summary: 'A flow by its steps, with how many are at each, passed it and left at it',
  tags: ['flows'],
  params: FlowParams,
  response: { 200: ShownFlow },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['flow_not_found'] } as const

export function readFlow(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log' | 'reads'>): void {
  app.get('/flows/:id', { schema, config }, async ({ tenant: { workspaceId }, params: { id: flowId } }) =>
    shownFlow(deps, { workspaceId, flowId }),
  )
}
