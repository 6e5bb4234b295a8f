import { StacklessError } from '@tidings/domain'

/** An answer that is an error: what the envelope shows, and headers where the rule names some. */
export type Problem = Readonly<{
  status: number
  message: string
  code?: string
  extra?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
}>

/** Refuses a request before any rule of the domain is asked. The text is the whole sentence that the caller reads. */
export class RequestRefused extends StacklessError {
  override readonly name = 'RequestRefused'
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** 400 without a code: the shape of the request is wrong (contract: Errors). */
export function invalidRequest(message: string): RequestRefused {
  return new RequestRefused({ status: 400, message })
}

export function missingCredentials(): RequestRefused {
  return new RequestRefused({ status: 401, message: 'Missing tenant or API key' })
}
export function invalidCredentials(): RequestRefused {
  return new RequestRefused({ status: 401, message: 'Invalid API key' })
}

/** 401 for a callback whose signature is missing or wrong. */
export function invalidSignature(): RequestRefused {
  return new RequestRefused({ status: 401, message: 'Invalid signature' })
}

/** 503 with the time after which asking again makes sense, in seconds. */
export function unavailable(retryAfter = 1): RequestRefused {
  return new RequestRefused({ status: 503, message: UNAVAILABLE, headers: { 'Retry-After': String(retryAfter) } })
}

/** 408: a body that is too slow. */
export function tooSlow(): RequestRefused {
  return new RequestRefused({ status: 408, message: 'The request body did not arrive in time' })
}

/** The connection ended in the middle of the body. */
export function bodyCutOff(): RequestRefused {
  return invalidRequest('The request body ended early')
}

export const UNAVAILABLE = 'Service temporarily unavailable, try again later'

/** 413: answered as plain text, outside the envelope (N565). */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge'
}
