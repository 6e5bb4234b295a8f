import { People } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'people.list',
  summary: 'Who may sign in to the workspace, by address',
  tags: ['people'],
  response: { 200: People },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

/** The page shows so many. */
const SHOWN = 1_000

export function listPeople(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/people', { schema, config }, async ({ tenant }) => {
    const users = forWorkspace(db, tenant.workspaceId).users().select(['id', 'email', 'role', 'created_at'])
    const rows = await users.orderBy('email').orderBy('id').limit(SHOWN).execute()
    return { items: rows.map(({ id, email, role, created_at }) => ({ id, email, role, createdAt: created_at.toISOString() })) }
  })
}
