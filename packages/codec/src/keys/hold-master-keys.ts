import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { MasterKeys } from './master-keys.ts'

/** How often a process reports which master key it has, and looks for a newer one. */
const HEARTBEAT_MS = 1_000

const HEARTBEAT = `insert into keys.holder as h (process, master_key, heard_at) values ($1, $2, clock_timestamp())
  on conflict (process) do update set master_key = excluded.master_key, heard_at = excluded.heard_at`

export type Holder = Readonly<{ stop: () => Promise<void> }>

/** `onLost` is called once when the master key was replaced and this process did not learn the new one. */
type Holding = Readonly<{ pool: Pool; masters: MasterKeys; onLost?: (error: unknown) => void }>

/**
 * Records in the database that this process holds keys, and learns the key that replaces its own within a second: a rotation waits for that.
 * Each heartbeat writes before it reads, so that one of the two always sees the other. The next heartbeat makes up for a failed one; a process
 * that misses so many that it counts as stopped cannot wrap under a retired key. Throws `WrongMasterKey` where the key was replaced
 * between being read and being held.
 */
export async function holdMasterKeys({ pool, masters, onLost }: Holding): Promise<Holder> {
  const process = randomUUID()
  let reported = ''
  const report = async (): Promise<void> => {
    const { id } = masters.current()
    await pool.query({ name: 'keys_holder', text: HEARTBEAT, values: [process, id] })
    reported = id
  }
  const heartbeat = async (): Promise<void> => {
    await report()
    await masters.learn()
    if (masters.current().id !== reported) await report()
  }
  const forget = () => pool.query('delete from keys.holder where process = $1', [process])
  await heartbeat()
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
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= heartbeat()
      .then(notice)
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
  }, HEARTBEAT_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
      await forget().catch(() => undefined) // counts as stopped after 10 s
    },
  }
}
