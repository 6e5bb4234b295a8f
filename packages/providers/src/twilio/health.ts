import type { Outage } from '../outage.ts'
import type { Outcome } from './read-answer.ts'
import type { SendQueue } from './send-queue.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** So many requests in a row without a usable answer are an outage: each holds a connection for as long as a call may take. */
const MAX_UNANSWERED = 5

/** What one outcome, its words redacted, means for the messages after it: nothing, a pause, or an outage. */
export type Health = Readonly<{ record: (outcome: Outcome) => void }>

export function createHealth({ outage, queue }: Readonly<{ outage: Outage; queue: SendQueue }>): Health {
  let unanswered = 0
  let limited = 0
  const pause = (ms: number | null): void => {
    // The calls that ran when the pause began are refused as well, and count once.
    if (queue.pause(ms ?? Math.min(FIRST_PAUSE_MS * 2 ** limited, MAX_PAUSE_MS))) limited++
  }
  return {
    record: (outcome) => {
      unanswered = isUnanswered(outcome) ? unanswered + 1 : 0
      if (outcome.failure === null) {
        limited = 0
        queue.grow()
      } else if (outcome.failure === 'outage') outage.begin(`the provider cannot be used: ${outcome.response}`)
      else if (unanswered >= MAX_UNANSWERED) outage.begin(`the provider does not answer: ${outcome.response}`)
      else if (outcome.failure === 'rate limit') pause(outcome.waitMs)
    },
  }
}

const isUnanswered = (outcome: Outcome): boolean =>
  outcome.failure === 'unconfirmed' || (outcome.failure !== null && outcome.status === 503)
