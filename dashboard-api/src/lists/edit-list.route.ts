import { EditedList, EditListBody, ListParams, RestoreVersionBody } from '@tidings/contracts'
import { type ConfigureList, type ListState, Refused, type Rule } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { versionOf } from '../editing/versions.ts'
import { askedRule, editableList, editedList, listVersions } from './editable-list.ts'

const base = { tags: ['lists'], params: ListParams, response: { 200: EditedList } }
const schema = { ...base, operationId: 'lists.edit', summary: 'Give a dynamic list another rule', body: EditListBody }
const restoreSchema = {
  ...{ ...base, operationId: 'lists.restoreVersion', summary: 'Give a list the rule of an earlier version, as a new version that says so' },
  body: RestoreVersionBody,
}

const config = { access: 'session', dashboard: { role: 'member' }, edits: true, refusals: ['list_not_found', 'list_type_fixed'] } as const
const restoreConfig = { ...config, refusals: ['list_not_found', 'list_version_not_found'] } as const

/** Its members follow once the rule has reached every contact: the answer says how far that is, and waits for none of them. */
export function editList(app: App, deps: DashboardDependencies): void {
  app.put('/lists/:id', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const of = { workspaceId, listId: request.params.id }
    await saveRecord(deps, request, {
      editable: editableList(of),
      commandFor: (record) => {
        if (record.listType === 'static') throw new Refused('list_type_fixed')
        return configureList(record, { listId: of.listId, rule: askedRule(request.body.rule) })
      },
    })
    return await editedList(deps, of)
  })

  app.post('/lists/:id/versions', { schema: restoreSchema, config: restoreConfig }, async (request) => {
    const { workspaceId } = request.tenant
    const of = { workspaceId, listId: request.params.id }
    const { version } = request.body
    await readRecord(deps, workspaceId, editableList(of))
    const earlier = await versionOf(deps, listVersions(of), { workspaceId, version })
    if (earlier === null) throw new Refused('list_version_not_found')
    await saveRecord(deps, request, {
      editable: editableList(of),
      commandFor: (record) => configureList(record, { listId: of.listId, rule: earlier.content, restoredFrom: version }),
    })
    return await editedList(deps, of)
  })
}

type Change = Readonly<{ listId: ConfigureList['data']['listId']; rule: Rule; restoredFrom?: number }>

const configureList = ({ name, listType }: NonNullable<ListState>, change: Change): ConfigureList => ({
  type: 'ConfigureList',
  data: { name, listType, ...change },
})
