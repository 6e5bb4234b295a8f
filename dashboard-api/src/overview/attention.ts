import type { Attention, Overview } from '@tidings/contracts'
import { SEND_KINDS } from '@tidings/jobs'
import { forWorkspace, type ReadModels, type WorkspaceId } from '@tidings/read-models'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import { watchedWebhooks } from '../webhooks/endpoints.ts'

/** So many of a kind of thing are looked at; the screen of the thing shows all. */
const SHOWN = 100
/** Dead letters beyond this number are as bad. */
const MOST_COUNTED = 1_000
/** The jobs that are due first: in an outage all of them wait for it. */
const LOOKED_AT = 100
/** From so many failed tries on, with none that went well behind them, an endpoint needs somebody. */
const FAILING_TRIES = 3

type Sources = Readonly<{ db: Kysely<ReadModels>; pool: Pool }>
type WebhookHealth = NonNullable<Overview['webhooks']>[number]

const attention = (kind: Attention['kind'], about: Partial<Omit<Attention, 'kind'>>): Attention => ({
  ...{ kind, id: null, name: null, count: 1, of: null },
  ...about,
})

export async function deadLetters({ pool }: Pick<Sources, 'pool'>, workspaceId: WorkspaceId): Promise<readonly Attention[]> {
  const { rows } = await pool.query<{ open: number }>(
    `select count(*)::int as open from (
       select from ops.dead_letter where state in ('open', 'redriving') and workspace_id = $1 limit $2) d`,
    [workspaceId, MOST_COUNTED],
  )
  const open = rows[0]?.open ?? 0
  return open === 0 ? [] : [attention('dead_letters', { count: open })]
}

const nameOf = ({ label, url }: Readonly<{ label: string | null; url: string }>): string => label ?? new URL(url).host

/** The kept tries of an endpoint that failed behind the last one that went well: every failure is kept, and of each batch the last success. */
const FAILED_SINCE = `select q.endpoint_id, (
    select count(*)::int from webhooks.attempt a
    where a.endpoint_id = q.endpoint_id and a.workspace_id = q.workspace_id and a.at > now() - interval '1 day' and a.outcome <> 'delivered'
      and a.number > coalesce((
        select max(d.number) from webhooks.attempt d where d.endpoint_id = q.endpoint_id and d.outcome = 'delivered'), -1)) as failed_since
  from webhooks.queue q where q.workspace_id = $1`

type EndpointHealth = WebhookHealth & Readonly<{ isFailing: boolean }>

export async function webhookHealth(pool: Pool, workspaceId: WorkspaceId): Promise<readonly EndpointHealth[]> {
  const [watched, { rows }] = await Promise.all([
    watchedWebhooks({ pool }, workspaceId),
    pool.query<{ endpoint_id: string; failed_since: number }>(FAILED_SINCE, [workspaceId]),
  ])
  const failedSince = new Map(rows.map((row) => [row.endpoint_id, row.failed_since]))
  return watched.slice(0, SHOWN).map(({ id, url, label, active, waiting, lastDay }) => {
    const failed = lastDay.retrying + lastDay.dropped
    const isFailing = active && (failedSince.get(id) ?? 0) >= FAILING_TRIES
    return { id, name: nameOf({ label, url }), active, waiting, tries: lastDay.delivered + failed, failed, isFailing }
  })
}

export function webhooksInNeed(endpoints: readonly EndpointHealth[]): readonly Attention[] {
  return endpoints.flatMap(({ id, name, active, isFailing, failed, tries }) => {
    if (isFailing) return [attention('webhook_failing', { id, name, count: failed, of: tries })]
    return active ? [] : [attention('webhook_paused', { id, name })]
  })
}

export async function unverifiedSenders({ db }: Pick<Sources, 'db'>, workspaceId: WorkspaceId): Promise<readonly Attention[]> {
  const own = forWorkspace(db, workspaceId)
  const [domains, addresses] = await Promise.all([
    own.senderDomains().select(['domain']).where('verified', '=', false).orderBy('domain').limit(SHOWN).execute(),
    own.senderAddresses().select(['id', 'email']).where('status', '=', 'pending').orderBy('email').limit(SHOWN).execute(),
  ])
  return [
    ...domains.map(({ domain }) => attention('sender_unverified', { name: domain })),
    ...addresses.map(({ id, email }) => attention('sender_unverified', { id, name: email })),
  ]
}

type WaitingRow = Readonly<{ channel: string }>

/** A workspace knows that its own messages wait, and not which provider the installation has. It looks at the jobs of each kind that are due first. */
export async function providerOutages({ pool }: Pick<Sources, 'pool'>, workspaceId: WorkspaceId): Promise<readonly Attention[]> {
  const kinds = Object.entries(SEND_KINDS).flatMap(([channel, of]) => Object.values(of).map((kind) => ({ channel, kind })))
  const { rows } = await pool.query<WaitingRow>(
    `select distinct k.channel from unnest($1::text[], $2::text[]) k(channel, kind) cross join lateral (
       select j.deferred_for from inbox.job j where j.kind = k.kind and j.workspace_id = $3 and j.due_at is not null
       order by j.due_at limit $4) w
     where w.deferred_for in ('provider_outage', 'own_provider_outage')`,
    [kinds.map(({ channel }) => channel), kinds.map(({ kind }) => kind), workspaceId, LOOKED_AT],
  )
  return rows
    .map(({ channel }) => attention('provider_outage', { name: channel }))
    .toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))
}

type Wallet = NonNullable<Overview['credits']>

/** Null where the workspace never had any. */
export async function creditsOf({ db }: Pick<Sources, 'db'>, workspaceId: WorkspaceId): Promise<Wallet | null> {
  const wallet = await forWorkspace(db, workspaceId).wallets().select(['balance', 'held']).executeTakeFirst()
  return wallet === undefined ? null : { available: Number(wallet.balance - wallet.held), held: Number(wallet.held) }
}

export function lowCredits(credits: Wallet | null, low: number): readonly Attention[] {
  return credits === null || credits.available >= low ? [] : [attention('credits_low', { count: credits.available, of: null })]
}
