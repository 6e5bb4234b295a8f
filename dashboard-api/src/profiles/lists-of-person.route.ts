import { ContactParams, ListsOfPerson } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { knownContact } from './known-contact.ts'

const schema = {
  operationId: 'profiles.listLists',
  summary: 'The lists that a person is on',
  tags: ['profiles'],
  params: ContactParams,
  response: { 200: ListsOfPerson },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['contact_not_found'] } as const

const SHOWN = 1_000

/** Each list of the workspace is asked by its key: members of a list stand together, those of a person do not. */
export function listsOfPerson(app: App, deps: Pick<DashboardDependencies, 'db' | 'log'>): void {
  app.get('/profiles/:id/lists', { schema, config }, async ({ tenant: { workspaceId }, params: { id: contactId } }) => {
    await knownContact(deps, { workspaceId, contactId })
    const rows = await forWorkspace(deps.db, workspaceId)
      .lists()
      .innerJoin('list_members', (on) =>
        on
          .onRef('list_members.workspace_id', '=', 'lists.workspace_id')
          .onRef('list_members.list_id', '=', 'lists.id')
          .on('list_members.contact_id', '=', contactId),
      )
      .select(['lists.id', 'lists.name', 'lists.type', 'list_members.added_at'])
      .orderBy('lists.name')
      .orderBy('lists.id')
      .limit(SHOWN)
      .execute()
    return { items: rows.map(({ id, name, type, added_at }) => ({ id, name, type, addedAt: added_at.toISOString() })) }
  })
}
