import { Fenced, leaseTable, type RowLease } from '@tidings/jobs'
import type { Pool } from 'pg'

/** The position up to which a mailbox has been read: every mail up to `uid` is done, as long as the folder has this `uidValidity`. */
export type Cursor = Readonly<{ uidValidity: bigint; uid: number }>

/** Leases of the mailbox readers, by the mailbox's name. */
export const mailboxLeases = leaseTable({
  table: 'ops.bounce_mailbox',
  name: 'mailbox',
  expiresAt: 'expires_at',
  leaseMs: 60_000,
  creates: true,
})

/** Zeros for a mailbox that was never read. */
export async function readCursor(pool: Pool, { name }: RowLease): Promise<Cursor> {
  const { rows } = await pool.query<{ uid_validity: string; last_uid: string }>(
    'select uid_validity::text, last_uid::text from ops.bounce_mailbox where mailbox = $1',
    [name],
  )
  return { uidValidity: BigInt(rows[0]?.uid_validity ?? 0), uid: Number(rows[0]?.last_uid ?? 0) }
}

/** Throws `Fenced` when another process reads the mailbox by now. */
export async function moveCursor(pool: Pool, { name, owner, epoch }: RowLease, { uidValidity, uid }: Cursor): Promise<void> {
  const { rowCount } = await pool.query(
    'update ops.bounce_mailbox set uid_validity = $4, last_uid = $5 where mailbox = $1 and owner = $2 and epoch = $3',
    [name, owner, epoch, uidValidity, uid],
  )
  if (rowCount === 0) throw new Fenced(`another process reads the mailbox ${name}`)
}
