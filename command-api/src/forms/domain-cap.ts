import { createHmac, type KeyObject } from 'node:crypto'
import { mailDomainOf } from '@tidings/addresses'
import { INSTALLATION } from '@tidings/domain'
import type { Pool } from 'pg'

type Derive = (purpose: 'confirmed mailbox v1') => KeyObject

/**
 * Limits the mails that ask the addresses of one registered domain to confirm a sign-up: addresses without end may arrive with one owner. What
 * proves a domain to be many people is that they confirm, and nothing else: no list of providers. One visitor takes no more than a part of it, and
 * one without a mail to the domain gets his beside what others took.
 */
export type DomainCap = Readonly<{
  /** A keyed digest: no domain is in the table. */
  digestOf: (email: string) => string
  /** The same, of the domain and who asks for it, whatever the workspace. */
  visitorOf: (email: string, client: string) => string
  /** Counts a sign-up that the owner of its address confirmed. */
  confirmed: (email: string) => Promise<void>
}>

/** Mails a day from one workspace to a domain without a confirmation; they may leave at once. */
export const UNPROVED_A_DAY = 50
/** Mails more for each confirmed sign-up of the domain. */
export const FOR_EACH_CONFIRMED = 10
/** All workspaces together send so many times as much. */
export const WORKSPACES_TOGETHER = 4
/** The part of a workspace's share of a domain that one visitor may take, in all workspaces. */
export const OF_ONE_VISITOR = 0.5

const CONFIRMED = `insert into ops.confirmation_domain as d (workspace_id, domain, confirmed, confirmed_at)
  values ('${INSTALLATION}', $1, 1, clock_timestamp())
  on conflict (workspace_id, domain) do update set
    confirmed = ops.confirmed_by_now(d.confirmed, d.confirmed_at) + 1, confirmed_at = clock_timestamp()`

/** `derive`: as the master keys derive it; a replaced master key begins the counts anew. */
export function createDomainCap({ pool, derive }: Readonly<{ pool: Pool; derive: () => readonly [Derive, ...Derive[]] }>): DomainCap {
  // No mailbox begins with its @: the digests of both cannot meet.
  const digest = (text: string): string => createHmac('sha256', derive()[0]('confirmed mailbox v1')).update(text).digest('hex')
  const digestOf = (email: string): string => digest(`@${mailDomainOf(email)}`)
  return {
    digestOf,
    // No domain contains a blank.
    visitorOf: (email, client) => digest(`@${mailDomainOf(email)} ${client}`),
    confirmed: async (email) => {
      await pool.query({ name: 'forms_confirmed_domain', text: CONFIRMED, values: [digestOf(email)] })
    },
  }
}

/** Deletes counts of which nothing is left and whose confirmations are nearly forgotten; answers how many. */
export async function forgetDomains(pool: Pool, batch: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ops.confirmation_domain where (workspace_id, domain) in (
       select workspace_id, domain from ops.confirmation_domain
       where ends <= now() and ops.confirmed_by_now(confirmed, confirmed_at) < 1 limit $1 for update skip locked)`,
    [batch],
  )
  return rowCount ?? 0
}
