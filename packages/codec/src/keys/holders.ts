import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { MasterKeys } from './master-keys.ts'

/** How often a process says which master key it has, and asks for a newer one. */
const BEAT_MS = 1_000

const BEAT = `insert into keys.holder as h (process, master_key, heard_at) values ($1, $2, clock_timestamp())
  on conflict (process) do update set master_key = excluded.master_key, heard_at = excluded.heard_at`

export type Holder = Readonly<{ stop: () => Promise<void> }>

/**
 * Tells the database that this process holds keys, and learns the key that replaces its own within a second: whoever replaces it waits for
 * that. Told before it is asked, so that of the two one always sees the other. A beat that fails is made up for by the next; a process that
 * misses so many that it counts as gone is refused what it would wrap under a retired key.
 */
export const holdMasterKeys = async ({ pool, masters }: Readonly<{ pool: Pool; masters: MasterKeys }>): Promise<Holder> => {
  const process = randomUUID()
  let told = ''
  const tell = async (): Promise<void> => {
    const { id } = masters.current()
    await pool.query({ name: 'keys_holder', text: BEAT, values: [process, id] })
    told = id
  }
  const beat = async (): Promise<void> => {
    await tell()
    await masters.learn()
    if (masters.current().id !== told) await tell()
  }
  await beat()
  let beating: Promise<void> | undefined
  const timer = setInterval(() => {
    beating ??= beat()
      .catch(() => undefined)
      .finally(() => {
        beating = undefined
      })
  }, BEAT_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await beating
      await pool.query('delete from keys.holder where process = $1', [process]).catch(() => undefined) // counts as gone in 10 s
    },
  }
}
