import { isCountry } from '@tidings/addresses'
import { waitUntilVisible } from '@tidings/administration'
import { ChangeGeneralBody, WorkspaceSettings } from '@tidings/contracts'
import type { WorkspaceCommand } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableSettings, workspaceSettings } from './settings.ts'

const schema = {
  operationId: 'workspace.changeGeneral',
  summary: 'Change what the workspace is called, its country, and whether single mails are tracked',
  tags: ['workspace'],
  body: ChangeGeneralBody,
  response: { 200: WorkspaceSettings },
}

const config = { access: 'session', dashboard: { role: 'owner' }, edits: true, refusals: ['workspace_not_found'] } as const

/** Writes what differs. */
export function changeGeneral(app: App, deps: DashboardDependencies): void {
  app.put('/workspace/general', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name, country, tracking } = request.body
    if (!isCountry(country)) throw invalidRequest('country must be one of the two letters of ISO 3166, like IL')
    const { position } = await saveRecord(deps, request, {
      editable: editableSettings(workspaceId, 'general'),
      commandFor: (): WorkspaceCommand => ({ type: 'ChangeWorkspaceSettings', data: { name, country, tracking } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
    return await workspaceSettings(deps, workspaceId)
  })
}
