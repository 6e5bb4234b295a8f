import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { MasterKeys } from './master-keys.ts'

/** How often a process says which master key it has, and asks for a newer one. */
const BEAT_MS = 1_000

const BEAT = `insert into keys.holder as h (process, master_key, heard_at) values ($1, $2, clock_timestamp())
  on conflict (process) do update set master_key = excluded.master_key, heard_at = excluded.heard_at`

export type Holder = Readonly<{ stop: () => Promise<void> }>

/** `onLost` hears, once, that the master key was replaced without this process having heard of it. */
type Holding = Readonly<{ pool: Pool; masters: MasterKeys; onLost?: (error: unknown) => void }>

/**
 * Tells the database that this process holds keys, and learns the key that replaces its own within a second: whoever replaces it waits for
 * that. Told before it is asked, so that of the two one always sees the other. A beat that fails is made up for by the next; a process that
 * misses so many that it counts as gone is refused what it would wrap under a retired key. Throws `WrongMasterKey` where the key was replaced
 * between being read and being held.
 */
export const holdMasterKeys = async ({ pool, masters, onLost }: Holding): Promise<Holder> => {
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
  const forget = () => pool.query('delete from keys.holder where process = $1', [process])
  await beat()
  try {
    masters.assertInForce()
  } catch (error) {
    await forget()
    throw error
  }
  let lost = false
  const notice = (): void => {
    try {
      masters.assertInForce()
      lost = false
    } catch (error) {
      if (!lost) onLost?.(error)
      lost = true
    }
  }
  let beating: Promise<void> | undefined
  const timer = setInterval(() => {
    beating ??= beat()
      .then(notice)
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
      await forget().catch(() => undefined) // counts as gone in 10 s
    },
  }
}
