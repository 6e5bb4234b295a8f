import { createHmac, type KeyObject } from 'node:crypto'
import { mailboxOf } from '@tidings/addresses'
import type { Pool } from 'pg'

/** Counts the mails that ask a mailbox to confirm something, from all workspaces and over all processes: ten a day. False beyond. */
export type MailboxCap = Readonly<{ take: (email: string) => Promise<boolean> }>

type Derive = (purpose: 'confirmed mailbox v1') => KeyObject

const PER_DAY = 10
// One statement, so that two processes cannot both take the last. A window opens with its first mail.
const TAKE = `insert into ops.confirmation_mailbox as m values ($1, clock_timestamp() + interval '1 day', 1)
  on conflict (mailbox) do update set
    ends = case when ops.is_open(m.ends, interval '1 day', clock_timestamp()) then m.ends else excluded.ends end,
    sent = case when ops.is_open(m.ends, interval '1 day', clock_timestamp()) then m.sent + 1 else 1 end
  where not ops.is_open(m.ends, interval '1 day', clock_timestamp()) or m.sent < $2`

/** `derive`: as the master keys derive it; a replaced master key begins the counts anew. */
export function createMailboxCap({ pool, derive }: Readonly<{ pool: Pool; derive: () => readonly [Derive, ...Derive[]] }>): MailboxCap {
  return {
    take: async (email) => {
      const digest = createHmac('sha256', derive()[0]('confirmed mailbox v1')).update(mailboxOf(email)).digest('hex')
      const { rowCount } = await pool.query({ name: 'take_confirmation_mailbox', text: TAKE, values: [digest, PER_DAY] })
      return rowCount === 1
    },
  }
}

/** Deletes counts whose window is over; answers how many. */
export async function forgetMailboxes(pool: Pool, batch: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ops.confirmation_mailbox where mailbox in (
       select mailbox from ops.confirmation_mailbox where ends <= now() limit $1 for update skip locked)`,
    [batch],
  )
  return rowCount ?? 0
}
