import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

/** What one use of an `Idempotency-Key` is about (M1: workspace, method and path). */
export type Scope = Readonly<{ workspaceId: WorkspaceId; method: string; path: string; key: string }>

/** A key that one request has leased. `lease` says which: another that takes over has another one. `firstAt`: when the first attempt took the key. */
export type LeasedKey = Readonly<{ scope: Scope; commandId: string; lease: string; firstAt: string }>

export type Claimed =
  | Readonly<{ kind: 'mine'; leased: LeasedKey }>
  | Readonly<{ kind: 'running' }>
  | Readonly<{ kind: 'other_body' }>
  /** `answer` is null where it showed a secret. */
  | Readonly<{ kind: 'answered'; status: number; answer: Buffer | null }>

type IdempotencyRow = Readonly<{ body_hash: Buffer; status: number | null; answer: Buffer | null }>

/**
 * Renewed while its request runs (`lease-renewal.ts`), so it ends only with the process, or where the database was away. A request that outlives
 * it runs twice under one command id, which the log recognises.
 */
export const LEASE_MS = 10_000
const LEASE = `${LEASE_MS} milliseconds`
const KEPT = '24 hours'
const SCOPE = 'workspace_id = $1 and method = $2 and path = $3 and key = $4'

/**
 * Unknown, expired, released (a lease of `-infinity`), or left behind by the same body: in one statement it is ours. The same body goes on
 * under its command id, so that what it had written is recognised; another body has another id. The row ends a day after its first attempt,
 * which so has one moment, by the clock of the database (M54, M55). A lease of a clock that was ahead is left behind as well.
 */
const CLAIM = {
  name: 'http_idempotency_claim',
  text: `insert into ops.idempotency as known (workspace_id, method, path, key, body_hash, command_id, lease_until, expires_at)
    values ($1, $2, $3, $4, $5, $6, now() + interval '${LEASE}', now() + interval '${KEPT}')
    on conflict (workspace_id, key, method, path) do update set
      lease_until = excluded.lease_until,
      body_hash = excluded.body_hash,
      command_id = case when known.expires_at <= now() or known.body_hash <> excluded.body_hash then excluded.command_id else known.command_id end,
      status = null,
      answer = null,
      expires_at = case when known.expires_at <= now() or known.body_hash <> excluded.body_hash then excluded.expires_at else known.expires_at end
    where known.expires_at <= now()
      or (known.status is null and (known.lease_until = '-infinity' or (known.body_hash = excluded.body_hash
        and (known.lease_until <= now() or known.lease_until > now() + interval '${LEASE}' + interval '1 minute'))))
    returning command_id, lease_until::text as lease, expires_at - interval '${KEPT}' as first_at`,
}
const LOOK = { name: 'http_idempotency_look', text: `select body_hash, status, answer from ops.idempotency where ${SCOPE}` }
const ANSWER = {
  name: 'http_idempotency_answer',
  text: `update ops.idempotency set status = $6, answer = $7 where ${SCOPE} and command_id = $5 and status is null`,
}
const RELEASE = {
  name: 'http_idempotency_release',
  text: `update ops.idempotency set lease_until = '-infinity'
    where ${SCOPE} and command_id = $5 and lease_until = $6::timestamptz and status is null`,
}
const RENEW = {
  name: 'http_idempotency_renew',
  text: `update ops.idempotency known set lease_until = now() + interval '${LEASE}'
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::timestamptz[]) with ordinality
      as mine (workspace_id, method, path, key, command_id, lease, item)
    where (known.workspace_id, known.method, known.path, known.key) = (mine.workspace_id, mine.method, mine.path, mine.key)
      and known.command_id = mine.command_id and known.lease_until = mine.lease and known.status is null
    returning mine.item::int, known.lease_until::text as lease`,
}
const EXPIRE = {
  name: 'http_idempotency_expire',
  text: `delete from ops.idempotency where ctid = any (array(
    select ctid from ops.idempotency where expires_at <= now() order by expires_at limit $1 for update skip locked))`,
}

const values = (scope: Scope): string[] => [scope.workspaceId, scope.method, scope.path, scope.key]

/** Takes the key for this request, or says what became of the request that has it. */
export async function claim(pool: Pool, scope: Scope, mine: Readonly<{ bodyHash: Buffer; commandId: string }>): Promise<Claimed> {
  const taken = await pool.query<{ command_id: string; lease: string; first_at: Date }>({
    ...CLAIM,
    values: [...values(scope), mine.bodyHash, mine.commandId],
  })
  const claimed = taken.rows[0]
  if (claimed !== undefined) {
    const { command_id: commandId, lease, first_at } = claimed
    return { kind: 'mine', leased: { scope, commandId, lease, firstAt: first_at.toISOString() } }
  }
  const found = await pool.query<IdempotencyRow>({ ...LOOK, values: values(scope) })
  const row = found.rows[0]
  // Gone between the two statements: it had expired and the retention job took it. Busy is true enough; the caller asks again.
  if (row === undefined) return { kind: 'running' }
  if (!row.body_hash.equals(mine.bodyHash)) return { kind: 'other_body' }
  return row.status === null ? { kind: 'running' } : { kind: 'answered', status: row.status, answer: row.answer }
}

/** Remembers the answer for the rest of the day, of whichever request under this command id is the first to have one. */
export async function remember(
  pool: Pool,
  { scope, commandId }: LeasedKey,
  answered: Readonly<{ status: number; answer: Buffer | null }>,
): Promise<void> {
  await pool.query({ ...ANSWER, values: [...values(scope), commandId, answered.status, answered.answer] })
}

/** Renews what still belongs to these requests; answers the new leases in their order, undefined for one that another request took over. */
export async function renew(pool: Pool, leased: readonly LeasedKey[]): Promise<readonly (string | undefined)[]> {
  const { rows } = await pool.query<{ item: number; lease: string }>({
    ...RENEW,
    values: [
      leased.map(({ scope }) => scope.workspaceId),
      leased.map(({ scope }) => scope.method),
      leased.map(({ scope }) => scope.path),
      leased.map(({ scope }) => scope.key),
      leased.map(({ commandId }) => commandId),
      leased.map(({ lease }) => lease),
    ],
  })
  const leases = new Map(rows.map(({ item, lease }) => [item, lease]))
  return leased.map((_, index) => leases.get(index + 1))
}

/**
 * Frees the key for any body. The same body runs at once, under the same command id: what this request appended is then recognised.
 * Nothing happens where another request took over meanwhile.
 */
export async function release(pool: Pool, { scope, commandId, lease }: LeasedKey): Promise<void> {
  await pool.query({ ...RELEASE, values: [...values(scope), commandId, lease] })
}

/** Retention job: removes at most `limit` expired keys and says how many it removed. */
export async function deleteExpiredIdempotency(pool: Pool, limit: number): Promise<number> {
  const { rowCount } = await pool.query({ ...EXPIRE, values: [limit] })
  return rowCount ?? 0
}

/**
 * Lets every key whose request has no answer be taken over at once. Only for a process that knows that those who carried the requests out are
 * dead; answers how many. No request runs longer than five minutes and a key is kept for 24 hours: by that the index finds the few among all that
 * are kept.
 */
export async function releaseIdempotencyKeys(pool: Pool): Promise<number> {
  const released = await pool.query(
    `update ops.idempotency set lease_until = now()
     where expires_at > now() + interval '23 hours 54 minutes' and status is null and lease_until > now()`,
  )
  return released.rowCount ?? 0
}
