/** The first delay is at least `minMs`; each further one doubles, up to `maxMs`. */
export type Backoff = Readonly<{ minMs: number; maxMs: number }>

const DEFAULT_BACKOFF: Backoff = { minMs: 50, maxMs: 2_000 }

/**
 * Milliseconds to wait before attempt `attempt + 1`; `attempt` counts from 1. Each delay is spread over its upper half, so that many
 * clients do not retry at the same moment.
 */
export function backoffDelay(attempt: number, { minMs, maxMs }: Backoff = DEFAULT_BACKOFF): number {
  const ceiling = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 16))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}
