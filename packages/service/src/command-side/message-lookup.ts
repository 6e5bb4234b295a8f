import type { EventLog } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { type ReadSide, shownSinceAsked } from '@tidings/projections'
import { messagesOfProviderIds, type ReadModels, workspacesOfConfirmations, workspacesOfMessages } from '@tidings/read-models'
import type { MessageLookup } from '@tidings/receipts'
import type { Pool } from 'pg'

/** A provider or mailbox that asks again does so within hours. */
const ASKS_AGAIN_MS = 6 * 3_600_000

type MessageLookupDependencies = Readonly<{ pool: Pool; log: EventLog; readSide: ReadSide }>

/** How receipts that carry no workspace find their message, or the mail that asked a sender address to confirm. */
export function messageLookup({ pool, log, readSide }: MessageLookupDependencies): MessageLookup {
  const db = kyselyOn<ReadModels>(pool)
  return {
    workspacesOfMessages: async (ids) => {
      const shown = await workspacesOfMessages(db, ids)
      const others = ids.filter((id) => !shown.has(id))
      if (others.length === 0) return shown
      return new Map([...shown, ...(await workspacesOfConfirmations(db, others)), ...(await parkedMessages(pool, others))])
    },
    messagesOfProviderIds: (names) => messagesOfProviderIds(db, names),
    shownOrUnknown: shownSinceAsked({
      head: () => log.head(),
      reads: readSide,
      projections: ['messages', 'sender_addresses'],
      keptMs: ASKS_AGAIN_MS,
    }),
  }
}

/** The uuids at the end of a stream's name, `message-<workspaceId>-<messageId>`. */
const MESSAGE_REF = /^message-(.{36})-(.{36})$/

/** A message whose stream is parked has no row: its workspace is in the name of the stream. */
async function parkedMessages(pool: Pool, ids: readonly string[]): Promise<readonly (readonly [string, WorkspaceId])[]> {
  const { rows } = await pool.query<{ stream: string }>(
    `select stream from ops.parked_stream where projection = 'messages' and right(stream, 36) = any ($1)`,
    [ids],
  )
  return rows.flatMap(({ stream }) => {
    const [, workspaceId, messageId] = MESSAGE_REF.exec(stream) ?? []
    return workspaceId === undefined || messageId === undefined ? [] : [[messageId, asWorkspaceId(workspaceId)] as const]
  })
}
