import type { Answer } from '@tidings/outbound-http'
import { fieldsIn } from '../http-api/json-fields.ts'
import type { ApiOutcome, UnsentRequest } from '../http-api/outcome.ts'
import { retryAfterMs } from '../retry-after.ts'
import { answerInClear } from '../taken.ts'

/** `id`: what Mailgun calls the mail, without brackets: its Message-ID. */
export type MailgunOutcome = ApiOutcome<Readonly<{ id: string; response: string }>>

type MailgunRule = Readonly<{
  status: RegExp
  message?: RegExp
  shown: string
  means: string
  sending: UnsentRequest['failure']
}>

/**
 * What each answer means; the first that fits counts. The statuses are of
 * https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses, the words about an address of
 * https://documentation.mailgun.com/en/latest/api-sending.html. A redirect is never followed.
 */
export const MAILGUN_ANSWERS: readonly MailgunRule[] = [
  {
    status: /^(420|429)$/,
    shown: '429',
    means: 'too many requests: sending slows down, and waits as `Retry-After` says',
    sending: 'rate limit',
  },
  { status: /^413$/, shown: '413', means: 'the mail is larger than 25 MB', sending: 'refused' },
  {
    status: /^400$/,
    message: /\bto\b.{0,20}parameter is not a valid address/i,
    shown: '400, "to parameter is not a valid address"',
    means: 'no mail system takes such an address',
    sending: 'recipient',
  },
  { status: /^[13]/, shown: '3xx', means: 'a redirect, which is never followed; as below', sending: 'outage' },
  {
    status: /^(401|402|403|404|405|407)$/,
    shown: '401, 402, 403, 404, 405, 407',
    means: 'the key, the domain or the account (disabled, not paid), where a request without a recipient gets no other answer',
    sending: 'outage',
  },
  { status: /^(408|425|503)$/, shown: '408, 425, 503', means: 'not taken, try later', sending: 'temporary' },
  { status: /^5/, shown: 'other 5xx', means: 'the mail may have been taken', sending: 'unconfirmed' },
  { status: /^4/, shown: 'other 4xx', means: 'the request is refused', sending: 'refused' },
  { status: /^/, shown: 'a 2xx without an id', means: 'the mail may have been taken', sending: 'unconfirmed' },
]

const MAX_WAIT_MS = 60_000
const MAX_RESPONSE = 500
const ID = /^[\x21-\x7e]{1,250}$/

/** What the answer to a request means. `isPlain`: the recipient's address is of ASCII; another one may be refused for Mailgun's sake alone. */
export function readAnswer({ status, headers, body }: Answer, isPlain: boolean): MailgunOutcome {
  const { id, message } = fieldsIn(body?.toString('utf8') ?? '')
  const name = typeof id === 'string' ? id.trim().replace(/^<(.*)>$/, '$1') : ''
  const said = typeof message === 'string' ? message : ''
  if (status >= 200 && status < 300 && ID.test(name))
    return { failure: null, id: name, response: answerInClear(`${status} ${said}: ${name}`) }
  const rule = MAILGUN_ANSWERS.find((one) => one.status.test(String(status)) && (one.message?.test(said) ?? true))
  const sending = rule?.sending ?? 'unconfirmed'
  return {
    failure: sending === 'recipient' && !isPlain ? 'refused' : sending,
    response: `HTTP ${status}${said === '' ? '' : `: ${said}`}`.slice(0, MAX_RESPONSE),
    waitMs: retryAfterMs(headers['retry-after'], MAX_WAIT_MS),
    status,
    isByCode: rule?.message !== undefined,
  }
}
