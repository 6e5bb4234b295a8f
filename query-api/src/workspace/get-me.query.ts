import { Me } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { forWorkspace, toTenant } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = { operationId: 'me', summary: 'Tell the workspace of the key', tags: ['workspace'], response: { 200: Me } }
const config = { anyWorkspaceStatus: true, tellsUnknownTenant: true }

export function getMe(app: App, { db }: Dependencies): void {
  app.get('/public/me', { schema, config }, async ({ tenant }) => {
    const row = await forWorkspace(db, tenant.workspaceId).workspace().selectAll().executeTakeFirst()
    if (row === undefined) throw refusal('workspace_not_found')
    return toTenant(row)
  })
}
