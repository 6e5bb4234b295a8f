import { contactStream } from '@tidings/domain'
import type { Pool } from 'pg'
import type { ErasureRef } from './erasure-table.ts'

/** A projection skips the contact's stream, the erasure in it included: it goes on showing the person. */
export class ContactParked extends Error {
  override readonly name = 'ContactParked'
}

/** Throws `ContactParked` where the erasure cannot be whole. What it looks at is as old as the last position that was waited for. */
export async function refuseParked(pool: Pool, { workspaceId, contactId }: ErasureRef): Promise<void> {
  const stream = contactStream(workspaceId, contactId)
  const { rows } = await pool.query<{ projection: string }>(
    'select projection from ops.parked_stream where stream = $1 order by projection',
    [stream],
  )
  if (rows.length === 0) return
  const names = rows.map(({ projection }) => projection).join(', ')
  throw new ContactParked(
    `${stream} is parked in projection ${names}, which may still show the person: run \`tidings projection rebuild\` for it, then erase the contact again.`,
  )
}
