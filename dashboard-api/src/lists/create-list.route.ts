import { waitUntilVisible } from '@tidings/administration'
import { recordIdOf } from '@tidings/codec'
import { EditedList, NewListBody } from '@tidings/contracts'
import { type ListId, MAX_DYNAMIC_LISTS, Refused, type WorkspaceId } from '@tidings/domain'
import { type App, hasLeft, invalidRequest } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { oneByOne } from '../editing/one-by-one.ts'
import { askedRule, editableList, editedList } from './editable-list.ts'

const schema = {
  operationId: 'lists.create',
  summary: 'Make a list',
  tags: ['lists'],
  body: NewListBody,
  response: { 201: EditedList },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['list_name_taken', 'list_limit_reached'] } as const

/** Its id follows from its name, as in a file of `apply`: the same record from either side, and no name twice. */
export function createList(app: App, deps: DashboardDependencies): void {
  const alone = oneByOne()
  app.post('/lists', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name, type, rule: asked } = request.body
    if (type === 'static' && asked !== undefined) throw invalidRequest('rule: a static list has none')
    const rule = type === 'dynamic' ? { rule: askedRule(asked) } : {}
    const listId = recordIdOf(workspaceId, 'list', name)
    const { decider, stream } = editableList({ workspaceId, listId })
    await alone({ workspaceId, isGone: () => hasLeft(request) }, async () => {
      if (type === 'dynamic') await refuseAboveLimit(deps, { workspaceId, listId })
      const { position } = await createRecord(deps, request, {
        decider,
        stream,
        command: { type: 'ConfigureList', data: { listId, name, listType: type, ...rule } },
        exists: (state) => state !== null,
        taken: 'list_name_taken',
      })
      await waitUntilVisible(deps, reply, { position, projections: ['lists'] })
    })
    reply.code(201)
    return await editedList(deps, { workspaceId, listId })
  })
}

/** One that is there already is not one more. */
const refuseAboveLimit = async (
  { db }: Pick<DashboardDependencies, 'db'>,
  { workspaceId, listId }: Readonly<{ workspaceId: WorkspaceId; listId: ListId }>,
): Promise<void> => {
  const others = forWorkspace(db, workspaceId).lists().select('id').where('type', '=', 'dynamic').where('id', '!=', listId)
  if ((await others.limit(MAX_DYNAMIC_LISTS).execute()).length === MAX_DYNAMIC_LISTS) throw new Refused('list_limit_reached')
}
