import { inOrder } from '@tidings/async'
import { OperationFailed } from '@tidings/config'
import { list, listStream, MAX_DYNAMIC_LISTS } from '@tidings/domain'
import { listCommands } from './plan.ts'
import { type Applying, AT_ONCE } from './steps.ts'

/**
 * Throws, before anything is written, where a list would change its type, or where the workspace would have too many dynamic ones. Files that
 * are applied at the same time do not see each other's lists.
 */
export async function refuseListChanges({ to, workspaceId, file }: Applying): Promise<void> {
  const commands = listCommands(workspaceId, file)
  if (commands.length === 0) return
  const known = await inOrder(commands, AT_ONCE, async ({ data }, i) => {
    const there = await to.load(workspaceId, list, listStream(workspaceId, data.listId))
    if (there !== null && there.listType !== data.listType)
      throw new OperationFailed(`lists[${i}].type: "${data.name}" is a ${there.listType} list, use another name for a ${data.listType} one`)
    return there
  })
  const added = commands.filter(({ data }, i) => data.listType === 'dynamic' && known[i] === null).length
  if (added === 0) return
  const had = (await to.dynamicLists(workspaceId)).length
  if (had + added > MAX_DYNAMIC_LISTS)
    throw new OperationFailed(
      `lists: the workspace has ${had} dynamic lists and may have ${MAX_DYNAMIC_LISTS}: remove at least ${had + added - MAX_DYNAMIC_LISTS} new ones`,
    )
}
