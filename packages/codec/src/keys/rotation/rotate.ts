import type { Pool } from 'pg'
import { type MasterKeyTexts, openMasterKeys } from '../open-master-keys.ts'
import { postgresKeyStore } from '../postgres-key-store.ts'
import { leftToRewrap, rewrapAll } from './rewrap.ts'
import { beginRotation, finishRotation, keepPurposeKeys, RotationFailed, retireOthers, waitForHolders } from './rotation-state.ts'

/** `key`: the new master key, as 64 hex digits. `rewrapped`: how many keys this call wrapped anew. */
export type Rotated = Readonly<{ key: string; rewrapped: number }>

export type RotateOptions = Readonly<{
  pool: Pool
  given: MasterKeyTexts
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
export function rotateMasterKey({ pool, given, onKey, onProgress, keep, onDone }: RotateOptions): Promise<void> {
  return alone(pool, async () => {
    const store = postgresKeyStore(pool)
    const masters = await openMasterKeys(store, given)
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
