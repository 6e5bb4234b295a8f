import type { Pool } from 'pg'

/** What one use of an `Idempotency-Key` is about (decisions.md M1: workspace, method and path). */
export type Scope = Readonly<{ workspaceId: string; method: string; path: string; key: string }>

export type Claimed =
  | Readonly<{ kind: 'mine'; commandId: string }>
  | Readonly<{ kind: 'running' }>
  | Readonly<{ kind: 'other_body' }>
  /** `answer` is null where it showed a secret. */
  | Readonly<{ kind: 'answered'; status: number; answer: Buffer | null }>

type Row = Readonly<{ body_hash: Buffer; status: number | null; answer: Buffer | null }>

/** Outlasts every request that lives; a request that outlives it runs twice under one command id, which the log recognises. */
const LEASE = '10 seconds'
const KEPT = '24 hours'
const SCOPE = 'workspace_id = $1 and method = $2 and path = $3 and key = $4'

/** Free, expired, or left behind by the same body: in one statement it is ours, and what was left behind keeps its command id. */
const CLAIM = {
  name: 'http_idempotency_claim',
  text: `insert into ops.idempotency as held (workspace_id, method, path, key, body_hash, command_id, lease_until, expires_at)
    values ($1, $2, $3, $4, $5, $6, now() + interval '${LEASE}', now() + interval '${KEPT}')
    on conflict (workspace_id, key, method, path) do update set
      lease_until = excluded.lease_until,
      body_hash = excluded.body_hash,
      command_id = case when held.expires_at <= now() then excluded.command_id else held.command_id end,
      status = null,
      answer = null,
      expires_at = case when held.expires_at <= now() then excluded.expires_at else held.expires_at end
    where held.expires_at <= now() or (held.status is null and held.lease_until <= now() and held.body_hash = excluded.body_hash)
    returning command_id`,
}
const LOOK = { name: 'http_idempotency_look', text: `select body_hash, status, answer from ops.idempotency where ${SCOPE}` }
const ANSWER = {
  name: 'http_idempotency_answer',
  text: `update ops.idempotency set status = $6, answer = $7 where ${SCOPE} and command_id = $5 and status is null`,
}
const RELEASE = {
  name: 'http_idempotency_release',
  text: `update ops.idempotency set lease_until = now() where ${SCOPE} and command_id = $5 and status is null`,
}
const EXPIRE = {
  name: 'http_idempotency_expire',
  text: `delete from ops.idempotency where ctid = any (array(
    select ctid from ops.idempotency where expires_at <= now() order by expires_at limit $1 for update skip locked))`,
}

const values = (scope: Scope): string[] => [scope.workspaceId, scope.method, scope.path, scope.key]

/** Takes the key for this request, or says what became of the request that has it. */
export const claim = async (pool: Pool, scope: Scope, mine: Readonly<{ bodyHash: Buffer; commandId: string }>): Promise<Claimed> => {
  const taken = await pool.query<{ command_id: string }>({ ...CLAIM, values: [...values(scope), mine.bodyHash, mine.commandId] })
  const commandId = taken.rows[0]?.command_id
  if (commandId !== undefined) return { kind: 'mine', commandId }
  const held = await pool.query<Row>({ ...LOOK, values: values(scope) })
  const row = held.rows[0]
  // Gone between the two statements: it had expired and the retention job took it. Busy is true enough; the caller asks again.
  if (row === undefined) return { kind: 'running' }
  if (!row.body_hash.equals(mine.bodyHash)) return { kind: 'other_body' }
  return row.status === null ? { kind: 'running' } : { kind: 'answered', status: row.status, answer: row.answer }
}

/** Remembers the answer for the rest of the day. */
export const remember = async (
  pool: Pool,
  scope: Scope,
  answered: Readonly<{ commandId: string; status: number; answer: Buffer | null }>,
): Promise<void> => {
  await pool.query({ ...ANSWER, values: [...values(scope), answered.commandId, answered.status, answered.answer] })
}

/** Lets the next attempt run at once, under the same command id: what this one appended is then recognised. */
export const release = async (pool: Pool, scope: Scope, commandId: string): Promise<void> => {
  await pool.query({ ...RELEASE, values: [...values(scope), commandId] })
}

/** Retention job: removes at most `limit` expired keys and says how many it removed. */
export const deleteExpiredIdempotency = async (pool: Pool, limit: number): Promise<number> => {
  const { rowCount } = await pool.query({ ...EXPIRE, values: [limit] })
  return rowCount ?? 0
}
