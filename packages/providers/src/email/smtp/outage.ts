import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryError } from '../port.ts'
import type { SmtpSession } from './session.ts'

/** The first look whether the server is back comes this soon; each waits twice as long as the one before, up to the longest. */
const FIRST_LOOK_MS = 250
const LONGEST_WAIT_MS = 5_000

/** `changed` hears why no mail can leave, once when that begins, and null when it is over. */
export type OutageTerms = Readonly<{
  open: () => Promise<SmtpSession>
  over: (session: SmtpSession) => void
  changed: (why: string | null) => void
  signal: AbortSignal
}>

/**
 * Whether the server can be used at all. From `begin` on it is tried again, by one session at a time, until one could be opened, which
 * `over` gets. Nobody's mail is needed for that.
 */
export type Outage = Readonly<{ why: () => string | null; begin: (error: DeliveryError) => void }>

export function watchOutage({ open, over, changed, signal }: OutageTerms): Outage {
  let why: string | null = null
  const look = async (): Promise<void> => {
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await sleep(wait, undefined, { signal, ref: false })
      const session = await open().catch(() => null)
      if (session === null) continue
      why = null
      if (!signal.aborted) changed(null)
      over(session)
      return
    }
  }
  return {
    why: () => why,
    begin: (error) => {
      if (why !== null) return
      why = error.message
      changed(why)
      // Ends with the pool: the sleep is aborted.
      look().catch(() => undefined)
    },
  }
}
