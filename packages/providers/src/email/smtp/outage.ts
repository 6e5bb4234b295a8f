import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryError } from '../../port.ts'
import type { SmtpSession } from './session.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5_000

/** `onChange` gets why no mail can leave, once when an outage begins, and null when it is over. */
type OutageSettings = Readonly<{
  open: () => Promise<SmtpSession>
  onRecovered: (session: SmtpSession) => void
  onChange: (reason: string | null) => void
  signal: AbortSignal
}>

/**
 * Whether the server can be used at all. From `begin` on one session at a time is tried, with exponential backoff, until one opens;
 * `onRecovered` gets it. No mail is needed for that.
 */
export type Outage = Readonly<{ reason: () => string | null; begin: (error: DeliveryError) => void }>

export function createOutage({ open, onRecovered, onChange, signal }: OutageSettings): Outage {
  let reason: string | null = null
  const reconnect = async (): Promise<void> => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      await sleep(delayMs, undefined, { signal, ref: false })
      const session = await open().catch(() => null)
      if (session === null) continue
      reason = null
      if (!signal.aborted) onChange(null)
      onRecovered(session)
      return
    }
  }
  return {
    reason: () => reason,
    begin: (error) => {
      if (reason !== null) return
      reason = error.message
      onChange(reason)
      // Ends with the pool: the sleep is aborted.
      reconnect().catch(() => undefined)
    },
  }
}
