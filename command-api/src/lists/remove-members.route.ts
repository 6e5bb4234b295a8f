import { appendContext } from '@tidings/administration'
import { ListParams, MembersRemoved, RemoveMembersBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { changeMembers } from './change-members.ts'
import { membersToRemove } from './resolve-members.ts'
import { mustBeStaticList } from './static-list.ts'

const schema = {
  operationId: 'lists.removeMembers',
  summary: 'Remove contacts from a static list',
  tags: ['lists'],
  params: ListParams,
  body: RemoveMembersBody,
  response: { 200: MembersRemoved },
}

const config = { dashboard: { role: 'member' }, refusals: ['list_not_found', 'list_not_static', 'contact_not_found'] } as const

export function removeMembers(app: App, deps: Dependencies): void {
  app.delete('/public/lists/:id/members', { schema, config }, async (request, reply) => {
    const listId = request.params.id
    const context = appendContext(request, deps.now())
    await mustBeStaticList(deps, context.workspaceId, listId)
    const named = await membersToRemove(deps, context.workspaceId, request.body)
    const { changed, count } = await changeMembers(deps, reply, { context, type: 'RemoveMembers', listId, named })
    return { removed: changed, count }
  })
}
