import { waitUntilVisible } from '@tidings/administration'
import { ChangePlanBody, WorkspaceSettings } from '@tidings/contracts'
import type { WorkspaceCommand } from '@tidings/domain'
import type { App } from '@tidings/http'
import { toWorkspace } from '../audit/operator-acts.ts'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableSettings, workspaceSettings } from './settings.ts'

const schema = {
  operationId: 'workspace.changePlan',
  summary: 'Give the workspace another plan',
  tags: ['workspace'],
  body: ChangePlanBody,
  response: { 200: WorkspaceSettings },
}

const config = {
  access: 'session',
  dashboard: { role: 'operator', operates: toWorkspace('plan') },
  withoutWorkspace: false,
  anyWorkspaceStatus: true,
  edits: true,
  refusals: ['workspace_not_found'],
} as const

export function changePlan(app: App, deps: DashboardDependencies): void {
  app.put('/workspace/plan', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { plan } = request.body
    const { position } = await saveRecord(deps, request, {
      editable: editableSettings(workspaceId, 'plan'),
      commandFor: (): WorkspaceCommand => ({ type: 'ChangeWorkspaceSettings', data: { plan } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
    return await workspaceSettings(deps, workspaceId)
  })
}
