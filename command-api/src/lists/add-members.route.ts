import { appendContext } from '@tidings/administration'
import { AddMembersBody, ListParams, MembersAdded } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { changeMembers } from './change-members.ts'
import { membersToAdd } from './resolve-members.ts'
import { mustBeStaticList } from './static-list.ts'

const schema = {
  operationId: 'lists.addMembers',
  summary: 'Add contacts to a static list',
  tags: ['lists'],
  params: ListParams,
  body: AddMembersBody,
  response: { 200: MembersAdded },
}

const config = { dashboard: { role: 'member' }, refusals: ['list_not_found', 'list_not_static', 'contact_not_found'] } as const

export function addMembers(app: App, deps: Dependencies): void {
  app.post('/public/lists/:id/members', { schema, config }, async (request, reply) => {
    const listId = request.params.id
    const context = appendContext(request, deps.now())
    await mustBeStaticList(deps, context.workspaceId, listId)
    const named = await membersToAdd(deps, context, request.body)
    const { changed, count } = await changeMembers(deps, reply, { context, type: 'AddMembers', listId, named })
    return { added: changed, count }
  })
}
