import { People } from '@tidings/contracts'
import { INSTALLATION, type WorkspaceId } from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'people.list',
  summary: 'Who may sign in to the workspace, by address',
  tags: ['people'],
  response: { 200: People },
}

const operatorsSchema = {
  operationId: 'system.operators',
  summary: 'The users of the installation, by address',
  tags: ['system'],
  response: { 200: People },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const
const operatorsConfig = { access: 'session', dashboard: { role: 'operator' } } as const

/** The page shows so many. */
const SHOWN = 1_000

async function usersOf(db: DashboardDependencies['db'], workspaceId: WorkspaceId) {
  const users = forWorkspace(db, workspaceId).users().select(['id', 'email', 'role', 'created_at'])
  const rows = await users.orderBy('email').orderBy('id').limit(SHOWN).execute()
  return { items: rows.map(({ id, email, role, created_at }) => ({ id, email, role, createdAt: created_at.toISOString() })) }
}

export function listPeople(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/people', { schema, config }, ({ tenant }) => usersOf(db, tenant.workspaceId))
  app.get('/system/operators', { schema: operatorsSchema, config: operatorsConfig }, () => usersOf(db, INSTALLATION))
}
