import { ChangeMarketingBody, WorkspaceSettings } from '@tidings/contracts'
import type { WorkspaceCommand } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableSettings, workspaceSettings } from './settings.ts'

const schema = {
  operationId: 'workspace.changeMarketing',
  summary: 'Change the time zone, the quiet hours and the frequency cap of marketing',
  tags: ['workspace'],
  body: ChangeMarketingBody,
  response: { 200: WorkspaceSettings },
}

const config = { access: 'session', dashboard: { role: 'owner' }, edits: true, refusals: ['workspace_not_found'] } as const

/** Writes what differs. The consumers that send follow the log itself, so no read side is waited for. */
export function changeMarketing(app: App, deps: DashboardDependencies): void {
  app.put('/workspace/marketing', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const { timezone, quietHours, frequencyCap } = request.body
    await saveRecord(deps, request, {
      editable: editableSettings(workspaceId, 'marketing'),
      commandFor: (): WorkspaceCommand => ({ type: 'ChangeMarketingRules', data: { timezone, quietHours, frequencyCap } }),
    })
    return await workspaceSettings(deps, workspaceId)
  })
}
