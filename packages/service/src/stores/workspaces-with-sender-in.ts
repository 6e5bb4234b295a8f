import type { WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { type ReadModels, workspacesWithSender } from '@tidings/read-models'
import type { Pool } from 'pg'

/** The workspaces that have one of these sender IDs: as of the read side, which may be a moment behind. */
export function workspacesWithSenderIn(pool: Pool): (senderIds: readonly string[]) => Promise<readonly WorkspaceId[]> {
  const db = kyselyOn<ReadModels>(pool)
  return (senderIds) => workspacesWithSender(db, senderIds)
}
