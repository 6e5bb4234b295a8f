import { mailboxOf } from '@tidings/addresses'
import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { type DomainCap, FOR_EACH_CONFIRMED, OF_ONE_VISITOR, UNPROVED_A_DAY, WORKSPACES_TOGETHER } from './domain-cap.ts'
import type { MailboxCap } from './mailbox-cap.ts'

/** Whether another mail that asks to confirm a sign-up may be sent. `endsInMs`: when the workspace may send one again, or one to that domain. */
type CapAnswer = Readonly<{ outcome: 'granted' | 'address' } | { outcome: 'workspace' | 'domain'; endsInMs: number }>

/**
 * Counts the mails that strangers make a workspace send, over all processes: in an hour of a workspace, in a day of an address in it, and in a day of a
 * mailbox from all workspaces. Once the workspace has sent its share, a visitor (`client`) who got none within the hour gets one all the same, until as
 * many again are sent: a flood from some addresses refuses itself. So it is with the domain of the address, whose refusals take no share.
 */
export type ConfirmationCap = Readonly<{
  take: (workspaceId: WorkspaceId, email: string, client?: string) => Promise<CapAnswer>
  confirmed: DomainCap['confirmed']
}>

type CapOptions = Readonly<{
  pool: Pool
  /** A keyed digest: no address is in the table. */
  digestOf: (workspaceId: WorkspaceId, email: string) => Promise<string> | string
  perHour: number
  mailboxes: MailboxCap
  /** Domains are counted only if it is set. */
  domains?: DomainCap
}>

const PER_ADDRESS_A_DAY = 3
const TAKE = 'select outcome, ends_in from ops.take_form_confirmation_for_visitor($1, $2, $3, $4, $5)'
const TAKE_BY = 'select outcome, ends_in from ops.take_form_confirmation_for_domain($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'

type ConfirmationCapRow = Readonly<{ outcome: CapAnswer['outcome']; ends_in: bigint }>

/** The tables are in deploy/migrations/0003_ops.sql; its functions say what is promised. */
export function createConfirmationCap({ pool, digestOf, perHour, mailboxes, domains }: CapOptions): ConfirmationCap {
  return {
    take: async (workspaceId, email, client) => {
      const visitor = client === undefined ? null : await digestOf(workspaceId, `client ${client}`)
      const values = [workspaceId, await digestOf(workspaceId, mailboxOf(email)), perHour, PER_ADDRESS_A_DAY, visitor]
      const bounds = domains && [
        ...digestsOf(domains, email, client),
        UNPROVED_A_DAY,
        FOR_EACH_CONFIRMED,
        WORKSPACES_TOGETHER,
        OF_ONE_VISITOR,
      ]
      const { rows } = bounds
        ? await pool.query<ConfirmationCapRow>({ name: 'forms_take_confirmation_by', text: TAKE_BY, values: [...values, ...bounds] })
        : await pool.query<ConfirmationCapRow>({ name: 'forms_take_confirmation', text: TAKE, values })
      const [{ outcome, ends_in } = noRow()] = rows
      if (outcome === 'workspace' || outcome === 'domain') return { outcome, endsInMs: Number(ends_in) }
      // Last, so that only mail that would be sent counts. As for the address: what other workspaces did is not said.
      return { outcome: outcome === 'granted' && (await mailboxes.take(email)) ? 'granted' : 'address' }
    },
    confirmed: async (email) => domains?.confirmed(email),
  }
}

const digestsOf = (domains: DomainCap, email: string, client: string | undefined) => [
  domains.digestOf(email),
  client === undefined ? null : domains.visitorOf(email, client),
]

const noRow = (): never => {
  throw new Error('ops.take_form_confirmation returned no row')
}

/** Deletes counts whose window is over; answers how many. */
export async function forgetConfirmations(pool: Pool, batch: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ops.form_confirmation where (workspace_id, address) in (
       select workspace_id, address from ops.form_confirmation where ends <= now() limit $1 for update skip locked)`,
    [batch],
  )
  return rowCount ?? 0
}
