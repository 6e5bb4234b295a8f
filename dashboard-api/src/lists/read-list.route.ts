import { EditedList, ListParams, ListVersionContent, ListVersions, VersionQuery, VersionsQuery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { namesOfActors } from '../editing/last-change.ts'
import { pageOfVersions, versionOf } from '../editing/versions.ts'
import { editableList, editedList, listVersions } from './editable-list.ts'

const base = { tags: ['lists'], params: ListParams }
const schema = { ...base, operationId: 'lists.get', summary: 'Read a list, its rule, and how far that is', response: { 200: EditedList } }
const versionsSchema = {
  ...{ ...base, operationId: 'lists.versions', summary: 'The changes of the rule of a list, the last first' },
  querystring: VersionsQuery,
  response: { 200: ListVersions },
}
const versionSchema = {
  ...{ ...base, operationId: 'lists.version', summary: 'One version of the rule of a list' },
  querystring: VersionQuery,
  response: { 200: ListVersionContent },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['list_not_found'] } as const
const versionConfig = { ...config, refusals: ['list_not_found', 'list_version_not_found'] } as const

/** A list and its history. */
export function readList(app: App, deps: DashboardDependencies): void {
  app.get('/lists/:id', { schema, config }, ({ tenant: { workspaceId }, params: { id: listId } }) =>
    editedList(deps, { workspaceId, listId }),
  )

  app.get(
    '/lists/:id/versions',
    { schema: versionsSchema, config },
    ({ tenant: { workspaceId }, params: { id: listId }, query: { after } }) => {
      const of = { workspaceId, listId }
      return pageOfVersions(deps, workspaceId, { editable: editableList(of), versioned: listVersions(of), after })
    },
  )

  app.get(
    '/lists/:id/version',
    { schema: versionSchema, config: versionConfig },
    async ({ tenant: { workspaceId }, params: { id: listId }, query: { version } }) => {
      const of = { workspaceId, listId }
      await readRecord(deps, workspaceId, editableList(of))
      const found = await versionOf(deps, listVersions(of), { workspaceId, version })
      if (found === null) throw new Refused('list_version_not_found')
      const { actor, content, ...head } = found
      return { ...head, content: { ...content }, by: (await namesOfActors(deps.db, workspaceId, [actor]))(actor) }
    },
  )
}
