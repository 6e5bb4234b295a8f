import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5_000
/** An outage that begins so soon after another goes on with its delays. */
const SAME_MS = 30_000

/** `isOver` tries once whether the provider can be used. `onChange` gets why not, once when an outage begins, and null when it is over. */
export type OutageSettings = Readonly<{
  isOver: () => Promise<boolean>
  onChange: (reason: string | null) => void
  signal: AbortSignal
}>

/**
 * Whether a provider can be used at all. From `begin` on it is tried, one try at a time with exponential backoff, until one succeeds. No
 * message is needed for that.
 */
export type Outage = Readonly<{ reason: () => string | null; begin: (reason: string) => void }>

export function createOutage({ isOver, onChange, signal }: OutageSettings): Outage {
  let reason: string | null = null
  let delayMs = FIRST_DELAY_MS
  let endedAt = Number.NEGATIVE_INFINITY
  const recover = async (): Promise<void> => {
    do {
      await sleep(delayMs, undefined, { signal, ref: false })
      delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)
    } while (!(await isOver().catch(() => false)))
    endedAt = performance.now()
    reason = null
    if (!signal.aborted) onChange(null)
  }
  return {
    reason: () => reason,
    begin: (why) => {
      if (reason !== null || signal.aborted) return
      reason = why
      if (performance.now() - endedAt > SAME_MS) delayMs = FIRST_DELAY_MS
      onChange(reason)
      // Ends with the provider: the sleep is aborted.
      recover().catch(() => undefined)
    },
  }
}
