import type { Answer } from '@tidings/outbound-http'
import { fieldsIn } from '../http-api/json-fields.ts'
import type { ApiOutcome, UnsentRequest } from '../http-api/outcome.ts'
import { retryAfterMs } from '../retry-after.ts'
import { answerInClear } from '../taken.ts'

/** `id`: what SES calls the mail. */
export type SesOutcome = ApiOutcome<Readonly<{ id: string; response: string }>>

/** `status` and `type` (the error that is named) and `message` all fit. */
type SesRule = Readonly<{
  status: RegExp
  type?: RegExp
  message?: RegExp
  shown: string
  means: string
  sending: UnsentRequest['failure']
}>

/**
 * What each answer means; the first that fits counts. The errors are of
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html and https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html, the
 * words about an address of https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html. A redirect is never followed.
 */
export const SES_ANSWERS: readonly SesRule[] = [
  {
    status: /^4/,
    type: /^(TooManyRequests|Throttling|LimitExceeded|RequestLimitExceeded)/,
    shown: '`TooManyRequestsException`, `ThrottlingException`, `LimitExceededException`',
    means: 'more a second, or a day, than the account may: sending slows down',
    sending: 'rate limit',
  },
  { status: /^429$/, shown: 'other 429', means: 'as above, and waits as `Retry-After` says', sending: 'rate limit' },
  { status: /^413$/, shown: '413', means: 'the mail is larger than 40 MB', sending: 'refused' },
  {
    status: /^400$/,
    type: /^BadRequest/,
    message: /^(?:Illegal address|Missing final '@domain'|(?:Domain|Local address) (?:contains|starts|ends)|User name is missing)/i,
    shown: '`BadRequestException`, "Illegal address" and the like',
    means: 'no mail system takes such an address',
    sending: 'recipient',
  },
  {
    status: /^4/,
    type: /^(AccountSuspended|SendingPaused)/,
    shown: '`AccountSuspendedException`, `SendingPausedException`',
    means: 'nothing leaves, where SES says the same of the account, or of three domains in a row',
    sending: 'outage',
  },
  {
    status: /^4/,
    type: /^(AccessDenied|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|ExpiredToken|RequestExpired|OptInRequired|NotFound)/,
    shown: '`AccessDeniedException`, `UnrecognizedClientException`, `InvalidSignatureException`, `NotFoundException` and the like',
    means: 'the key, its rights, the clock or the configuration set, as before',
    sending: 'outage',
  },
  { status: /^[13]/, shown: '3xx', means: 'a redirect, which is never followed; as below', sending: 'outage' },
  {
    status: /^(401|402|403|404|405|407)$/,
    shown: 'other 401, 402, 403, 404, 405, 407',
    means: 'no answer of SES: a pause, where a look at the account has no better one',
    sending: 'outage',
  },
  { status: /^(408|425|503)$/, shown: '408, 425, 503', means: 'not taken, try later', sending: 'temporary' },
  { status: /^5/, shown: 'other 5xx', means: 'the mail may have been taken', sending: 'unconfirmed' },
  {
    status: /^4/,
    shown: '`MessageRejected`, `MailFromDomainNotVerifiedException`, other 4xx',
    means: 'the mail is refused, or its sender is none of the account',
    sending: 'refused',
  },
  { status: /^/, shown: 'a 2xx without an id', means: 'the mail may have been taken', sending: 'unconfirmed' },
]

const MAX_WAIT_MS = 60_000
const MAX_RESPONSE = 500
const ID = /^[\x21-\x7e]{1,250}$/

/** What the answer to a request means. `isPlain`: both addresses are of ASCII; for another one SES may be refusing what others take. */
export function readAnswer({ status, headers, body }: Answer, isPlain: boolean): SesOutcome {
  const { MessageId: id, __type, message, Message } = fieldsIn(body?.toString('utf8') ?? '')
  if (status >= 200 && status < 300 && typeof id === 'string' && ID.test(id))
    return { failure: null, id, response: answerInClear(`${status} ${id}`) }
  const type = typeOf(headers['x-amzn-errortype'] ?? __type)
  const said = textOf(message) || textOf(Message)
  const rule = SES_ANSWERS.find(
    (one) => one.status.test(String(status)) && (one.type?.test(type) ?? true) && (one.message?.test(said) ?? true),
  )
  const sending = rule?.sending ?? 'unconfirmed'
  return {
    failure: sending === 'recipient' && !isPlain ? 'refused' : sending,
    response: ([`HTTP ${status}`, type].join(' ').trim() + (said === '' ? '' : `: ${said}`)).slice(0, MAX_RESPONSE),
    waitMs: retryAfterMs(headers['retry-after'], MAX_WAIT_MS),
    status,
    isByCode: rule?.type !== undefined,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `MessageRejected:http://…` and `com.amazonaws.ses#MessageRejected` are `MessageRejected`. */
const typeOf = (value: unknown): string => /^(?:[\w.]{1,100}#)?([A-Za-z]{1,100})/.exec(textOf(value))?.[1] ?? ''
