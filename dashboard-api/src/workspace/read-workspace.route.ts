import { WorkspaceSettings } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { workspaceSettings } from './settings.ts'

const schema = {
  operationId: 'workspace.get',
  summary: 'Read the workspace and its settings',
  tags: ['workspace'],
  response: { 200: WorkspaceSettings },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['workspace_not_found'] } as const

export function readWorkspace(app: App, deps: DashboardDependencies): void {
  app.get('/workspace', { schema, config }, ({ tenant: { workspaceId } }) => workspaceSettings(deps, workspaceId))
}
