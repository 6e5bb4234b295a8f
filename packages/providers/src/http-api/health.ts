import type { Outage } from '../outage.ts'
import type { ApiOutcome, UnsentRequest } from './outcome.ts'

/** A probe follows so many requests in a row without a usable answer. */
const MAX_UNANSWERED = 5
/** Said for recipients of so many groups in a row, what it says of the account is true, whatever it says of a request without a recipient. */
const MAX_SAID = 3

/** `probe`: whether a request without a recipient has the answer of a server that works. `groupOf`: what recipients share that one trouble would meet. */
export type HealthSettings = Readonly<{ outage: Outage; probe: () => Promise<boolean>; groupOf: (to: string) => string }>

/**
 * Decides by a request without a recipient's message what is an outage, and what is one recipient's trouble (M57). `isOutage`: of what could
 * not be sent to that recipient; its words are redacted.
 */
export type Health = Readonly<{ accepted: () => void; isOutage: (outcome: ApiOutcome<unknown>, to: string) => Promise<boolean> }>

export function createHealth({ outage, probe, groupOf }: HealthSettings): Health {
  let unanswered = 0
  const said = new Set<string>()
  let probing: Promise<boolean> | null = null
  const works = (): Promise<boolean> => {
    probing ??= probe().finally(() => {
      probing = null
    })
    return probing
  }
  const accepted = (): void => {
    unanswered = 0
    said.clear()
  }
  const begin = (why: string): true => {
    outage.begin(why)
    return true
  }
  return {
    accepted,
    isOutage: async (outcome, to) => {
      if (outcome.failure === null) return false
      if (isUnanswered(outcome)) {
        if (++unanswered < MAX_UNANSWERED) return false
        unanswered = 0
        return (await works()) ? false : begin(`the provider does not answer: ${outcome.response}`)
      }
      unanswered = 0
      if (outcome.failure !== 'outage') return false
      if (outcome.isByCode && said.size < MAX_SAID) said.add(groupOf(to))
      const isSaidOfAll = said.size >= MAX_SAID
      return !isSaidOfAll && (await works()) ? false : begin(`the provider cannot be used: ${outcome.response}`)
    },
  }
}

const isUnanswered = ({ failure, status }: UnsentRequest): boolean => failure === 'unconfirmed' || status === 503
