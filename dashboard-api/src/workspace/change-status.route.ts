import { appendContext, waitUntilVisible } from '@tidings/administration'
import { ChangeStatusBody, WorkspaceSettings } from '@tidings/contracts'
import { workspace, workspaceStream } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import { toWorkspace } from '../audit/operator-acts.ts'
import type { DashboardDependencies } from '../dependencies.ts'
import { workspaceSettings } from './settings.ts'

const schema = {
  operationId: 'workspace.changeStatus',
  summary: 'Suspend, resume or close the workspace',
  tags: ['workspace'],
  body: ChangeStatusBody,
  response: { 200: WorkspaceSettings },
}

const config = {
  access: 'session',
  dashboard: { role: 'operator', operates: toWorkspace('status') },
  withoutWorkspace: false,
  anyWorkspaceStatus: true,
  refusals: ['workspace_not_found', 'workspace_closed'],
} as const

/** Answered when every live process has heard of it (M43). The decider says what the status allows: closed is for ever. */
export function changeStatus(app: App, deps: DashboardDependencies): void {
  app.post('/workspace/status', { schema, config }, async (request, reply) => {
    const { workspaceId, slug } = request.tenant
    const { status, reason = null } = request.body
    if (status === 'closed' && request.body.slug !== slug) throw invalidRequest('slug must be that of the workspace, to close it')
    const { position } = await deps.commands.execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'ChangeWorkspaceStatus', data: { status, reason } },
      context: appendContext(request, deps.now()),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
    return await workspaceSettings(deps, workspaceId)
  })
}
