import { OperationFailed } from '@tidings/config'
import { contactStream } from '@tidings/domain'
import type { Pool } from 'pg'
import type { ErasureRef } from './erasure-table.ts'

/** Throws one sentence where the erasure cannot be whole: a projection that skips the contact's stream, the erasure in it included, goes on showing the person. What it looks at is as old as the last position that was waited for. */
export async function refuseParked(pool: Pool, { workspaceId, contactId }: ErasureRef): Promise<void> {
  const stream = contactStream(workspaceId, contactId)
  const { rows } = await pool.query<{ projection: string }>(
    'select projection from ops.parked_stream where stream = $1 order by projection',
    [stream],
  )
  if (rows.length === 0) return
  const names = rows.map(({ projection }) => projection).join(', ')
  throw new OperationFailed(
    `${stream} is parked in projection ${names}, which may still show the person: run \`tidings projection rebuild\` for it, then erase the contact again.`,
  )
}
