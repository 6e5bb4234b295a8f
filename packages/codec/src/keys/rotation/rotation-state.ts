import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { forgetSilentHolders } from '../announce-master-keys.ts'
import { sealHandover, wrapPurposeKeys } from '../handover.ts'
import type { KeyStore } from '../key-store.ts'
import { type MasterKey, parseMasterKey } from '../master-key.ts'
import type { MasterKeys } from '../master-keys.ts'

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
export async function beginRotation(pool: Pool, store: KeyStore, masters: MasterKeys): Promise<MasterKey> {
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
export async function keepPurposeKeys(pool: Pool, masters: MasterKeys, target: MasterKey): Promise<void> {
  for (const of of masters.all().filter(({ id }) => id !== target.id))
    for (const { masterKeyId, purpose, wrapped } of wrapPurposeKeys(target, of))
      await pool.query('insert into keys.purpose_key (master_key_id, purpose, wrapped) values ($1, $2, $3) on conflict do nothing', [
        masterKeyId,
        purpose,
        wrapped,
      ])
}

/** Resolves when every living process has the new key. */
export async function waitForHolders(pool: Pool, { id }: MasterKey): Promise<void> {
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
export async function retireOthers(pool: Pool, { id }: MasterKey): Promise<void> {
  await pool.query('update keys.master_key set retired_at = clock_timestamp() where id <> $1 and retired_at is null', [id])
}

/** Deletes the other keys, and the new key that was sealed under one of them: a process that has only those is refused. */
export async function finishRotation(pool: Pool, { id }: MasterKey): Promise<void> {
  await pool.query(
    `with deleted as (delete from keys.master_key where id <> $1)
     update keys.master_key set replaces = null, sealed = null where id = $1`,
    [id],
  )
}
