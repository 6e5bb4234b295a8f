import { API_VERSION, Me } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = { operationId: 'me', summary: 'Tell the workspace of the key', tags: ['workspace'], response: { 200: Me } }
const config = { dashboard: { role: 'member' }, anyWorkspaceStatus: true, tellsUnknownTenant: true } as const

/** Answers from the workspace that authentication looked up a moment ago, without a statement (docs/explanation/performance.md). */
export function getMe(app: App, { findWorkspace }: Dependencies): void {
  app.get('/public/me', { schema, config }, async ({ tenant }) => {
    const known = findWorkspace(tenant.workspaceId)
    const workspace = known instanceof Promise ? await known : known
    if (workspace === null) throw refusal('workspace_not_found')
    const { workspaceId: id, slug, name, plan, status } = workspace
    return { tenant: { id, slug, name, plan, status }, apiVersion: API_VERSION }
  })
}
