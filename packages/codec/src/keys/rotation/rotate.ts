import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { asWorkspaceId, NIL_ID, type WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { forgetSilentHolders } from '../announce-master-keys.ts'
import type { KeyStore, StoredPurposeKey } from '../key-store.ts'
import { type MasterKey, parseMasterKey, subjectKeyContext, unwrap, workspaceSecretContext, wrap } from '../master-key.ts'
import { type MasterKeys, type MasterKeyTexts, openMasterKeys, rewrapPurposeKey, sealHandover, wrapPurposeKeys } from '../master-keys.ts'
import { postgresKeyStore } from '../postgres-key-store.ts'

/** `key`: the new master key, as 64 hex digits. `rewrapped`: how many keys this call wrapped anew. */
export type Rotated = Readonly<{ key: string; rewrapped: number }>

export type RotateOptions = Readonly<{
  pool: Pool
  given: MasterKeyTexts
  /** Called first, while no other rotation runs: throws where the new key could not be kept. */
  onBegin?: () => Promise<void>
  /** Called with the new key before anything is wrapped under it. */
  onKey: (key: string) => void
  onProgress: (done: number, total: number) => void
  /** Makes the new key the one that later starts bring, durably. Called when nothing needs the old one any more but processes that have only that. */
  keep: (key: string) => Promise<void>
  /** Called with the result before the old key is forgotten: until this resolves, the old key still opens the new one. */
  onDone: (rotated: Rotated) => Promise<void>
}>

/** One rotation at a time, whichever process runs it; ends with the session. */
const LOCK = 7_100_024

const alone = async (pool: Pool, work: () => Promise<void>): Promise<void> => {
  const client = await pool.connect()
  let lost: Error | undefined
  client.on('error', (error) => {
    lost = error
  })
  try {
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [LOCK])
    if (rows[0]?.got !== true) throw new RotationFailed('Another call of `tidings master-key rotate` is at it: wait for its end.')
    await work()
  } finally {
    // The lock ends with the session.
    client.release(lost ?? true)
  }
}

/**
 * Replaces the master key while the service runs. Killed at any point, it continues when it is called again with the same keys, to the same new
 * key. The order matters: every process has the new key before anything is wrapped under it; nothing new is wrapped under the old one before
 * what is left is looked for; the new key has its place before the old one is forgotten.
 */
export function rotateMasterKey({ pool, given, onBegin, onKey, onProgress, keep, onDone }: RotateOptions): Promise<void> {
  return alone(pool, async () => {
    const store = postgresKeyStore(pool)
    const masters = await openMasterKeys(store, given)
    await onBegin?.()
    const target = await beginRotation(pool, store, masters)
    onKey(target.text)
    await keepPurposeKeys(pool, masters, target)
    await waitForHolders(pool, target)
    await retireOthers(pool, target)
    const total = await leftToRewrap(pool, target)
    let done = 0
    onProgress(0, total)
    const onRows = (count: number): void => {
      done += count
      onProgress(done, Math.max(done, total))
    }
    const rewrapped = await rewrapAll({ pool, target, masters: masters.all(), onDone: onRows })
    const left = await leftToRewrap(pool, target)
    if (left > 0) throw new RotationFailed(`${left} keys are still wrapped under another master key: call this again.`)
    await keep(target.text)
    await onDone({ key: target.text, rewrapped })
    await finishRotation(pool, target)
  })
}

/** `masters` open what is there, `target` wraps it anew. `onDone` gets how many more rows were wrapped. */
type Rewrapping = Readonly<{ pool: Pool; target: MasterKey; masters: readonly MasterKey[]; onDone: (count: number) => void }>

/** One statement each, of some 5 ms: a write about one of these subjects waits no longer. */
const PAGE = 500

const isOther = (parameter: string): string => `substring(wrapped for 4) <> decode(${parameter}, 'hex')`

const LEFT = `select (select count(*) from keys.subject_key where wrapped is not null and ${isOther('$1')})
  + (select count(*) from keys.workspace_secret where ${isOther('$1')})
  + (select count(*) from keys.purpose_key where ${isOther('$1')}) as left`

/** Counts the rows that are wrapped under another key than the target. Reads every key. */
async function leftToRewrap(pool: Pool, { id }: MasterKey): Promise<number> {
  const { rows } = await pool.query<{ left: bigint | string }>(LEFT, [id])
  return Number(rows[0]?.left ?? 0)
}

type SubjectRow = Readonly<{ workspace_id: WorkspaceId; subject: string; version: number; wrapped: Buffer }>

const SUBJECTS = `select workspace_id, subject, version, wrapped from keys.subject_key
  where (workspace_id, subject, version) > ($1, $2, $3) and wrapped is not null and ${isOther('$4')}
  order by workspace_id, subject, version limit ${PAGE}`

// A row changes only if it is still what was read: a subject that was erased meanwhile stays erased.
const REWRAP_SUBJECTS = `update keys.subject_key k set wrapped = w.after
  from unnest($1::uuid[], $2::text[], $3::int[], $4::bytea[], $5::bytea[]) w(workspace_id, subject, version, before, after)
  where (k.workspace_id, k.subject, k.version) = (w.workspace_id, w.subject, w.version) and k.wrapped = w.before`

const rewrapSubjects = async ({ pool, target, masters, onDone }: Rewrapping): Promise<number> => {
  let rewrapped = 0
  let last: Readonly<{ workspace_id: WorkspaceId; subject: string; version: number }> = {
    workspace_id: asWorkspaceId(NIL_ID),
    subject: '',
    version: -1,
  }
  for (;;) {
    const values = [last.workspace_id, last.subject, last.version, target.id]
    const { rows } = await pool.query<SubjectRow>({ name: 'keys_to_rewrap', text: SUBJECTS, values })
    const end = rows.at(-1)
    if (end === undefined) return rewrapped
    const after = rows.map((row) => {
      const context = subjectKeyContext(row.workspace_id, row.subject, row.version)
      return wrap(target, unwrap(masters, row.wrapped, context), context)
    })
    const { rowCount } = await pool.query({
      name: 'keys_rewrap',
      text: REWRAP_SUBJECTS,
      values: [rows.map((r) => r.workspace_id), rows.map((r) => r.subject), rows.map((r) => r.version), rows.map((r) => r.wrapped), after],
    })
    rewrapped += rowCount ?? 0
    last = end
    onDone(rows.length)
  }
}

const rewrapSecrets = async ({ pool, target, masters, onDone }: Rewrapping): Promise<number> => {
  const { rows } = await pool.query<{ workspace_id: WorkspaceId; wrapped: Buffer }>(
    `select workspace_id, wrapped from keys.workspace_secret where ${isOther('$1')}`,
    [target.id],
  )
  for (const { workspace_id: workspaceId, wrapped } of rows) {
    const context = workspaceSecretContext(workspaceId)
    const after = wrap(target, unwrap(masters, wrapped, context), context)
    await pool.query('update keys.workspace_secret set wrapped = $2 where workspace_id = $1', [workspaceId, after])
    onDone(1)
  }
  return rows.length
}

const rewrapPurposeKeys = async ({ pool, target, masters, onDone }: Rewrapping): Promise<number> => {
  const { rows } = await pool.query<StoredPurposeKey>(
    `select master_key_id as "masterKeyId", purpose, wrapped from keys.purpose_key where ${isOther('$1')}`,
    [target.id],
  )
  for (const key of rows) {
    const values = [key.masterKeyId, key.purpose, rewrapPurposeKey(target, key, masters)]
    await pool.query('update keys.purpose_key set wrapped = $3 where master_key_id = $1 and purpose = $2', values)
    onDone(1)
  }
  return rows.length
}

/** Wraps every key anew that another master key has wrapped; answers how many. */
async function rewrapAll(rewrapping: Rewrapping): Promise<number> {
  return (await rewrapPurposeKeys(rewrapping)) + (await rewrapSecrets(rewrapping)) + (await rewrapSubjects(rewrapping))
}

/** The rotation cannot continue now, in one sentence; called again, it continues where it was. */
export class RotationFailed extends Error {
  override readonly name = 'RotationFailed'
}

/** A process without a heartbeat for this long counts as stopped; what it would wrap under the old key is refused. */
const GONE_AFTER_SECONDS = 10
const HOLDERS_TIMEOUT_MS = 30_000
const POLL_MS = 100
const KEY_BYTES = 32

/** Whether a rotation was begun and is not done. */
export async function isBeingRotated(store: KeyStore): Promise<boolean> {
  return [...(await store.masterKeys()).values()].some(({ sealed }) => sealed !== null)
}

/** The key of the unfinished rotation, or a new one, sealed for every process that has the current one. */
async function beginRotation(pool: Pool, store: KeyStore, masters: MasterKeys): Promise<MasterKey> {
  const begun = [...(await store.masterKeys())].find(([, { sealed }]) => sealed !== null)
  const from = masters.current()
  if (begun !== undefined) {
    const target = masters.all().find(({ id }) => id === begun[0])
    if (target !== undefined) return target
    throw new RotationFailed(`A rotation to the master key ${begun[0]} was begun under ${begun[1].replaces}: call it again with that key.`)
  }
  const target = parseMasterKey(randomBytes(KEY_BYTES).toString('hex'))
  await pool.query('insert into keys.master_key (id, check_value, replaces, sealed) values ($1, $2, $3, $4)', [
    target.id,
    target.checkValue,
    from.id,
    sealHandover(from, target),
  ])
  await masters.learn()
  return target
}

/** Stores what every other master key derived, under the new one: links in mail open as long as the database has it. */
async function keepPurposeKeys(pool: Pool, masters: MasterKeys, target: MasterKey): Promise<void> {
  for (const of of masters.all().filter(({ id }) => id !== target.id))
    for (const { masterKeyId, purpose, wrapped } of wrapPurposeKeys(target, of))
      await pool.query('insert into keys.purpose_key (master_key_id, purpose, wrapped) values ($1, $2, $3) on conflict do nothing', [
        masterKeyId,
        purpose,
        wrapped,
      ])
}

/** Resolves when every living process has the new key. */
async function waitForHolders(pool: Pool, { id }: MasterKey): Promise<void> {
  for (const deadline = performance.now() + HOLDERS_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    const { rows } = await pool.query<{ behind: number }>(
      `select count(*)::int as behind from keys.holder
       where master_key <> $1 and heard_at > clock_timestamp() - make_interval(secs => $2)`,
      [id, GONE_AFTER_SECONDS],
    )
    const behind = rows[0]?.behind ?? 0
    if (behind === 0) break
    if (performance.now() > deadline)
      throw new RotationFailed(
        `${behind} running processes have not taken the new master key within 30 s: see their logs, then call this again.`,
      )
  }
  await forgetSilentHolders(pool, 60)
}

/** Ends wrapping under other keys: it waits for the statements that run. */
async function retireOthers(pool: Pool, { id }: MasterKey): Promise<void> {
  await pool.query('update keys.master_key set retired_at = clock_timestamp() where id <> $1 and retired_at is null', [id])
}

/** Deletes the other keys, and the new key that was sealed under one of them: a process that has only those is refused. */
async function finishRotation(pool: Pool, { id }: MasterKey): Promise<void> {
  await pool.query(
    `with deleted as (delete from keys.master_key where id <> $1)
     update keys.master_key set replaces = null, sealed = null where id = $1`,
    [id],
  )
}
