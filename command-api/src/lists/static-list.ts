import { type ListId, list, listStream, refuseUnlessStatic, type WorkspaceId } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'

/** Throws `Refused` unless the workspace has a static list of this id. */
export async function mustBeStaticList({ commands }: Dependencies, workspaceId: WorkspaceId, listId: ListId): Promise<void> {
  const { state } = await commands.load({ decider: list, stream: listStream(workspaceId, listId), workspaceId })
  refuseUnlessStatic(state)
}
