import type { DeliveryFailure } from '../port.ts'

/** What a request to an API led to; `Sent`: what is known of one that was taken. */
export type ApiOutcome<Sent> = (Readonly<{ failure: null }> & Sent) | UnsentRequest

/**
 * `rate limit`: not taken, and nothing may be sent for `waitMs` (null: the server does not say for how long). `status`: null where there is
 * no answer. `isByCode`: the server named an error that is in the table, so that the HTTP status alone is not what is judged.
 */
export type UnsentRequest = Readonly<{
  failure: DeliveryFailure | 'rate limit'
  response: string
  waitMs: number | null
  status: number | null
  isByCode: boolean
  /** Its recipient asked the gateway to stop. */
  isOptOut?: boolean
}>
