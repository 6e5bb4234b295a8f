import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

/** A domain that DNS is to be asked about. `token`: null where its record is not due, or not asked. `zones`: whether blocklists are. */
export type DueDomain = Readonly<{ workspaceId: WorkspaceId; domain: string; token: string | null; zones: boolean }>

type DueDomainRow = Readonly<{ workspace_id: WorkspaceId; domain: string; token: string | null; proof_due: boolean; listing_due: boolean }>

/**
 * Proved domains and blocklists are asked once a day. A record that is missing is asked for every ten minutes on the first day, when its
 * owner is about to publish it, then every hour. A new statement of the operator about a domain makes it due at once (M25).
 */
const DUE = `
  with domain as (
    select d.*, c.proof_asked_at, c.listing_asked_at,
      case when d.proof = 'found' then interval '1 day' when d.configured_at > now() - interval '1 day' then interval '10 minutes'
        else interval '1 hour' end as proof_every
    from read.sender_domains d
    join read.workspaces w on w.workspace_id = d.workspace_id and w.status <> 'closed'
    left join ops.sender_domain_check c on c.workspace_id = d.workspace_id and c.domain = d.domain
  ), due as (
    select workspace_id, domain, token, configured_at,
      said_verified is null and token is not null
        and (proof_asked_at is null or proof_asked_at < configured_at or proof_asked_at < now() - proof_every) as proof_due,
      said_blocklisted is null
        and (listing_asked_at is null or listing_asked_at < configured_at or listing_asked_at < now() - interval '1 day') as listing_due
    from domain
  )
  select workspace_id, domain, token, proof_due, listing_due from due where proof_due or listing_due order by configured_at limit $1`

/** Finds due domains of all workspaces, as the read side shows them. */
export async function dueDomains(pool: Pool, limit: number): Promise<readonly DueDomain[]> {
  const { rows } = await pool.query<DueDomainRow>({ name: 'senders-due', text: DUE, values: [limit] })
  return rows.map(({ workspace_id, domain, token, proof_due, listing_due }) => ({
    workspaceId: workspace_id,
    domain,
    token: proof_due ? token : null,
    zones: listing_due,
  }))
}

const MARK = `
  insert into ops.sender_domain_check as c (workspace_id, domain, proof_asked_at, listing_asked_at)
  values ($1, $2, case when $3 then clock_timestamp() end, case when $4 then clock_timestamp() end)
  on conflict (workspace_id, domain) do update set proof_asked_at = coalesce(excluded.proof_asked_at, c.proof_asked_at),
    listing_asked_at = coalesce(excluded.listing_asked_at, c.listing_asked_at)`

/** Written before DNS is asked: what is said of the domain meanwhile makes it due again. */
export async function markAsked(pool: Pool, { workspaceId, domain, token, zones }: DueDomain): Promise<void> {
  await pool.query({ name: 'senders-asked', text: MARK, values: [workspaceId, domain, token !== null, zones] })
}
