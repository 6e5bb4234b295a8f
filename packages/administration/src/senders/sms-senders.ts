import { numberOfSender, type SenderIdStatus, type SenderNumbersState, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'

/** `number`: the own one behind it (M48), left out where there is none. */
export type SmsSender = Readonly<{ id: string; status: SenderIdStatus; reason: string | null; number?: string }>

/** The SMS sender IDs of a workspace, by name. `numbers`: the state of their stream. */
export async function smsSenders(pool: Pool, workspaceId: WorkspaceId, numbers: SenderNumbersState): Promise<readonly SmsSender[]> {
  const query = forWorkspace(kyselyOn<ReadModels>(pool), workspaceId).smsSenders()
  const rows = await query.select(['sender_id', 'status', 'reason']).orderBy('sender_id').execute()
  return rows.map(({ sender_id: id, status, reason }) => {
    const number = numberOfSender(numbers, { workspaceId, senderId: id })
    return { id, status, reason, ...(number !== null && { number }) }
  })
}
