import type { Outage } from '../outage.ts'
import type { Outcome } from './read-answer.ts'
import type { SendQueue } from './send-queue.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** So many requests in a row without a usable answer are an outage: each holds a connection for as long as a call may take. */
const MAX_UNANSWERED = 5

/** What one outcome means for the messages after it: nothing, a pause, or an outage. `words`: of the server, redacted. */
export type Health = Readonly<{ record: (outcome: Outcome, words: string) => void }>

export function createHealth({ outage, queue }: Readonly<{ outage: Outage; queue: SendQueue }>): Health {
  let unanswered = 0
  let limited = 0
  return {
    record: (outcome, words) => {
      unanswered = outcome.failure === 'unconfirmed' ? unanswered + 1 : 0
      if (outcome.failure === null) limited = 0
      else if (outcome.failure === 'outage') outage.begin(`the provider cannot be used: ${words}`)
      else if (unanswered >= MAX_UNANSWERED) outage.begin(`the provider does not answer: ${words}`)
      else if (outcome.failure === 'rate limit') queue.pause(outcome.waitMs ?? Math.min(FIRST_PAUSE_MS * 2 ** limited++, MAX_PAUSE_MS))
    },
  }
}
