import type { Attempt, Settled } from './statements.ts'

/** The number of attempts that one statement may add to the log of an endpoint: fewer than its slots, so that no slot is written twice. */
const MAX_AN_ENDPOINT = 50
/** The number of these that may be successes: without this limit a busy endpoint writes its log as fast as its deliveries. */
const MAX_DELIVERED = 5

/** The attempts of a batch that the log keeps: what failed, and some of what did not. */
export function keptAttempts(settled: readonly Settled[]): readonly Attempt[] {
  const all = settled.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]))
  return [...Map.groupBy(all, ({ endpointId }) => endpointId).values()].flatMap((attempts) => {
    const delivered = attempts.filter(({ outcome }) => outcome === 'delivered').slice(-MAX_DELIVERED)
    const kept = new Set(delivered)
    return attempts.filter((attempt) => attempt.outcome !== 'delivered' || kept.has(attempt)).slice(-MAX_AN_ENDPOINT)
  })
}
