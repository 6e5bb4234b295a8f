import { OperationFailed } from '@tidings/config'
import { workspaceIdOf } from '@tidings/directory'
import { type WorkspaceId, type WorkspaceState, workspace, workspaceStream } from '@tidings/domain'
import type { Operator } from './with-operator.ts'

export type ExistingWorkspace = Readonly<{ id: WorkspaceId; state: WorkspaceState }>

/** The workspace as of the log; throws one sentence when there is none. */
export async function existingWorkspace({ provisioner }: Operator, slug: string): Promise<ExistingWorkspace> {
  const id = workspaceIdOf(slug)
  const state = await provisioner.load(id, workspace, workspaceStream(id))
  if (!state.exists) throw new OperationFailed(`There is no workspace ${slug}: create it with \`tidings apply\`.`)
  return { id, state }
}
