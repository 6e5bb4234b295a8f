import type { Answer } from '@tidings/outbound-http'
import type { ApiOutcome } from '../http-api/outcome.ts'
import type { DeliveryFailure } from '../port.ts'
import { retryAfterMs } from '../retry-after.ts'
import { answerInClear } from '../taken.ts'
import { OPTED_OUT, TWILIO_STATUSES, twilioError } from './errors.ts'

/** What the answer to a request for a message or a call means. `sid`: its name there. */
export type RequestOutcome = ApiOutcome<Readonly<{ sid: string; response: string }>>

const SID = /^[\w-]{1,64}$/
const MAX_WAIT_MS = 60_000
const MAX_RESPONSE = 500

type AnswerBody = Readonly<Record<string, unknown>>

/** What the answer to a request for a message or a call means. `accountSid`: an answer about another account says nothing about ours. */
export function readAnswer({ status, headers, body }: Answer, accountSid: string): RequestOutcome {
  const read = parsed(body)
  const ofAccount = read.account_sid === undefined || read.account_sid === accountSid
  const failed = read.status === 'failed' || read.status === 'undelivered' || read.status === 'canceled'
  const isTaken = (status === 200 || status === 201) && ofAccount && !failed
  if (isTaken && typeof read.sid === 'string' && SID.test(read.sid))
    return { failure: null, sid: read.sid, response: answerInClear(`${status} ${typeof read.status === 'string' ? read.status : ''}`) }
  const code = codeOf(read)
  const isError = status >= 300 || (failed && ofAccount)
  const known = isError && ofAccount ? twilioError(code)?.sending : null
  return {
    failure: known ?? (isError && status < 300 ? 'refused' : byStatus(status)),
    response: words(status, code, read),
    waitMs: retryAfterMs(headers['retry-after'], MAX_WAIT_MS),
    status,
    isByCode: known != null,
    ...(known != null && code === OPTED_OUT && { isOptOut: true as const }),
  }
}

const byStatus = (status: number): DeliveryFailure | 'rate limit' =>
  TWILIO_STATUSES.find((row) => row.status.test(String(status)))?.sending ?? 'unconfirmed'

function parsed(body: Buffer | null): AnswerBody {
  try {
    const value: unknown = JSON.parse(body?.toString('utf8') ?? '')
    return typeof value === 'object' && value !== null ? (value as AnswerBody) : {}
  } catch {
    return {}
  }
}

/** An error has `code`, a message that failed at once `error_code`. */
function codeOf({ code, error_code: errorCode }: AnswerBody): number | null {
  const found = Number(code ?? errorCode ?? Number.NaN)
  return Number.isInteger(found) ? found : null
}

function words(status: number, code: number | null, { message, error_message: errorMessage }: AnswerBody): string {
  const said = [message, errorMessage].find((text) => typeof text === 'string')
  const label = code === null ? `HTTP ${status}` : `HTTP ${status}, ${code}`
  return (typeof said === 'string' ? `${label}: ${said}` : label).slice(0, MAX_RESPONSE)
}
