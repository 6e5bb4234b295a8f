/** What every failed call says. `idempotencyKey` is the key that the call went out under: a later call with it carries the same request on. */
export type CallFacts = Readonly<{ method: string; url: string; attempts: number; idempotencyKey: string | null }>

type Answer = Readonly<{ status: number; requestId: string | null; retryAfterSeconds: number | null; text: string }>

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null // a proxy's page, or 413, which is plain text
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The service, or something before it, refused the request. Branch on `status` and `code`; `message` is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Stable, in snake_case; undefined where the service gives none. */
  readonly code: string | undefined
  /** The `X-Request-Id` of the answer: the service logs its side under it. */
  readonly requestId: string | null
  /** What the answer asked to wait, as a number of seconds; null where it asked nothing. */
  readonly retryAfterSeconds: number | null
  /** What else the service said about a refusal. */
  readonly details: Readonly<Record<string, unknown>>
  readonly call: CallFacts

  constructor({ status, requestId, retryAfterSeconds, text }: Answer, call: CallFacts) {
    const body = parse(text)
    const { success: _success, message, code, ...details } = isRecord(body) ? body : {}
    super(typeof message === 'string' ? message : `${call.method} ${call.url} was answered with ${status}, and not by Tidings`)
    this.status = status
    this.code = typeof code === 'string' ? code : undefined
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.details = details
    this.call = call
  }
}

/** No whole answer came: whether the request was carried out is unknown. `cause` says what happened. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly call: CallFacts

  constructor(cause: unknown, call: CallFacts) {
    super(`${call.method} ${call.url} got no answer in ${call.attempts === 1 ? 'one attempt' : `${call.attempts} attempts`}`, { cause })
    this.call = call
  }
}
