import { Refused } from '@tidings/domain'
import { isRetryable } from '@tidings/postgres'
import { type Problem, RequestRefused, UNAVAILABLE } from './problems.ts'
import { isAnswered, type RefusalAnswer, refusals } from './refusals.ts'

const INTERNAL: Problem = { status: 500, message: 'Internal server error' }

/** What Fastify itself refuses with, in our words. Its own texts and statuses (415) stay inside. */
const ofFastify: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 400, message: 'Content-Type must be application/json' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, message: 'Content-Length does not match the body' },
  FST_ERR_BAD_URL: { status: 400, message: 'The URL is not valid' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 400, message: 'The URL is not valid' },
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

const ofRefusal = (refused: Refused): Problem => {
  if (!isAnswered(refused.code)) return INTERNAL
  const answer: RefusalAnswer = refusals[refused.code]
  const { retryAfterSeconds, ...extra } = refused.context
  return {
    status: answer.status,
    message: answer.message,
    ...(answer.hidden ? {} : { code: refused.code, extra }),
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  }
}

/**
 * The one mapper from errors to answers. A refusal answers by its code, what can pass answers 503, and everything else is our
 * fault: 500, and its text stays inside. A `retryAfterSeconds` in a refusal's context becomes the header.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Refused) return ofRefusal(error)
  if (error instanceof RequestRefused) return error.problem
  if (!(error instanceof Error)) return INTERNAL
  if (isRetryable(error)) return { status: 503, message: UNAVAILABLE, headers: { 'Retry-After': '1' } }
  return ofFastify[codeOf(error)] ?? INTERNAL
}
