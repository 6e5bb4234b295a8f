import { appendContext } from '@tidings/administration'
import { MemberParams, MembersCount } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { changeMembers } from './change-members.ts'
import { mustBeStaticList } from './static-list.ts'

const schema = {
  operationId: 'lists.removeMember',
  summary: 'Remove one contact from a static list',
  tags: ['lists'],
  params: MemberParams,
  response: { 200: MembersCount },
}

const config = { dashboard: { role: 'member' }, refusals: ['list_not_found', 'list_not_static', 'contact_not_found'] } as const

/** Removing a contact that is no member or unknown changes nothing: 200 (G15). */
export function removeMember(app: App, deps: Dependencies): void {
  app.delete('/public/lists/:id/members/:contactId', { schema, config }, async (request, reply) => {
    const { id: listId, contactId } = request.params
    const context = appendContext(request, deps.now())
    await mustBeStaticList(deps, context.workspaceId, listId)
    const named = { contactIds: [contactId], someAreNew: false }
    const { count } = await changeMembers(deps, reply, { context, type: 'RemoveMembers', listId, named })
    return { count }
  })
}
