import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5_000

/** `probe` rejects while nothing can be sent. `onChange` gets why, once when an outage begins, and null when it is over. */
type OutageSettings<Probed> = Readonly<{
  probe: () => Promise<Probed>
  onRecovered?: (probed: Probed) => void
  onChange: (reason: string | null) => void
  signal: AbortSignal
}>

/**
 * Whether a provider can be used at all. From `begin` on it is probed, one probe at a time with exponential backoff, until one succeeds.
 * No message is needed for that.
 */
export type Outage = Readonly<{ reason: () => string | null; begin: (reason: string) => void }>

export function createOutage<Probed>({ probe, onRecovered, onChange, signal }: OutageSettings<Probed>): Outage {
  let reason: string | null = null
  const recover = async (): Promise<void> => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      await sleep(delayMs, undefined, { signal, ref: false })
      const probed = await probe().then(
        (value) => ({ value }),
        () => null,
      )
      if (probed === null) continue
      reason = null
      if (!signal.aborted) onChange(null)
      onRecovered?.(probed.value)
      return
    }
  }
  return {
    reason: () => reason,
    begin: (why) => {
      if (reason !== null || signal.aborted) return
      reason = why
      onChange(reason)
      // Ends with the provider: the sleep is aborted.
      recover().catch(() => undefined)
    },
  }
}
