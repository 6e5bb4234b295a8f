import type { DeliveryFailure } from '../port.ts'
import type { SmsReceipt } from '../sms/port.ts'

/**
 * One row: what an error code means in the answer to a request (`sending`), and in a later report about a message or a call (`receipt`).
 * Null where Twilio does not use it there.
 */
export type TwilioErrorRow = Readonly<{
  code: number
  means: string
  sending: DeliveryFailure | 'rate limit' | null
  receipt: Exclude<SmsReceipt['reason'], null> | null
}>

/** The person asked Twilio to stop, with this sender. */
export const OPTED_OUT = 21610

/** The codes of https://www.twilio.com/docs/api/errors that decide something. What is not here is judged by its HTTP status, or is undeliverable. */
export const TWILIO_ERRORS: readonly TwilioErrorRow[] = [
  { code: 10001, means: 'the account is not active', sending: 'outage', receipt: 'provider_rejected' },
  { code: 10004, means: 'too many calls at once', sending: 'rate limit', receipt: 'provider_rejected' },
  { code: 14107, means: 'too many messages to this number', sending: 'temporary', receipt: 'provider_rejected' },
  { code: 20003, means: 'the SID or the token is wrong, or the account is suspended', sending: 'outage', receipt: null },
  { code: 20005, means: 'the account is not active', sending: 'outage', receipt: null },
  { code: 20403, means: 'the account lacks permission', sending: 'outage', receipt: null },
  { code: 20404, means: 'no such account or path', sending: 'outage', receipt: null },
  { code: 20429, means: 'too many requests', sending: 'rate limit', receipt: null },
  { code: 20500, means: 'internal error; the message may have been taken', sending: 'unconfirmed', receipt: null },
  { code: 20503, means: 'service unavailable', sending: 'temporary', receipt: null },
  { code: 21202, means: 'a call to a premium number', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21210, means: 'the caller ID is not verified', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21211, means: 'the number is invalid', sending: 'recipient', receipt: 'invalid_address' },
  { code: 21212, means: 'the sender is invalid', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21214, means: 'the number cannot be reached', sending: 'recipient', receipt: 'invalid_address' },
  { code: 21215, means: 'calls to this country are not enabled', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21216, means: 'the account may not call this number', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21217, means: 'the number is invalid', sending: 'recipient', receipt: 'invalid_address' },
  { code: 21265, means: 'the number is a short code', sending: 'recipient', receipt: 'invalid_address' },
  { code: 21408, means: 'messages to this country are not enabled', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21602, means: 'the message is empty', sending: 'refused', receipt: null },
  { code: 21606, means: 'the sender cannot send to this number', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21608, means: 'a trial account sends to verified numbers only', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21609, means: 'the public URL is none that can be called for reports', sending: 'outage', receipt: null },
  { code: OPTED_OUT, means: 'the person replied STOP to this sender', sending: 'refused', receipt: 'sms_stop' },
  { code: 21611, means: 'the queue of this sender is full', sending: 'temporary', receipt: 'expired' },
  { code: 21612, means: 'the sender cannot reach this number', sending: 'refused', receipt: 'provider_rejected' },
  { code: 21614, means: 'the number is not a mobile number', sending: 'recipient', receipt: 'invalid_address' },
  { code: 21617, means: 'the message is too long', sending: 'refused', receipt: null },
  { code: 21635, means: 'the number is a landline', sending: 'recipient', receipt: 'invalid_address' },
  { code: 21659, means: 'the sender is not a number of this provider', sending: 'refused', receipt: 'provider_rejected' },
  { code: 30001, means: 'waited too long in the queue', sending: 'temporary', receipt: 'expired' },
  { code: 30002, means: 'the account is suspended', sending: 'outage', receipt: 'provider_rejected' },
  { code: 30003, means: 'the phone is off or out of reach', sending: null, receipt: 'undeliverable' },
  { code: 30004, means: 'blocked by the phone or its carrier', sending: null, receipt: 'undeliverable' },
  { code: 30005, means: 'the number is unknown or not in service', sending: null, receipt: 'invalid_address' },
  { code: 30006, means: 'a landline, or a carrier that cannot be reached', sending: null, receipt: 'undeliverable' },
  { code: 30007, means: 'filtered as unwanted', sending: null, receipt: 'provider_rejected' },
  { code: 30008, means: 'unknown error of the carrier', sending: null, receipt: 'undeliverable' },
  { code: 30036, means: 'its validity period is over', sending: null, receipt: 'expired' },
  { code: 30410, means: 'the carrier did not answer in time', sending: null, receipt: 'undeliverable' },
]

const BY_CODE = new Map(TWILIO_ERRORS.map((row) => [row.code, row]))

export function twilioError(code: number | null): TwilioErrorRow | undefined {
  return code === null ? undefined : BY_CODE.get(code)
}

/** What an HTTP status means where the code of the error is not in the table; the first row that fits counts. */
export const TWILIO_STATUSES: readonly Readonly<{
  status: RegExp
  shown: string
  means: string
  sending: DeliveryFailure | 'rate limit'
}>[] = [
  { status: /^429$/, shown: '429', means: 'too many requests: never taken', sending: 'rate limit' },
  { status: /^3/, shown: '3xx', means: 'a redirect, which is never followed; as below', sending: 'outage' },
  {
    status: /^(401|403|404|405|407)$/,
    shown: '401, 403, 404, 405, 407',
    means: 'credentials, account or path are wrong, where a request without a recipient gets no other answer',
    sending: 'outage',
  },
  { status: /^(408|425|503)$/, shown: '408, 425, 503', means: 'not taken, try later', sending: 'temporary' },
  { status: /^5/, shown: 'other 5xx', means: 'the message may have been taken', sending: 'unconfirmed' },
  { status: /^4/, shown: 'other 4xx', means: 'the request is refused', sending: 'refused' },
  { status: /^/, shown: 'a 2xx without a SID of this account', means: 'the message may have been taken', sending: 'unconfirmed' },
]
