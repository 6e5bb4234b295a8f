import { ApiError, type CallFacts, ConnectionError } from './errors.ts'
import { mayRetry, retryAfterSeconds, waitMs } from './retry.ts'

/** `attempt`: the number of the one that failed. */
export type Retry = Readonly<{ attempt: number; waitMs: number; error: ApiError | ConnectionError }>

/** How requests are sent. Every one has a default. */
export type SendOptions = Readonly<{
  /** How long an attempt may take, its whole answer included. By default 30 000 ms. */
  timeoutMs?: number
  /** How many more attempts follow one that failed in passing. By default 4. */
  retries?: number
  /** A longer `Retry-After` is not waited for, but thrown. By default 60 000 ms. */
  longestWaitMs?: number
  /** Gets what failed and how long the wait is, before each attempt after the first: for a log. A call may wait for minutes. */
  onRetry?: (retry: Retry) => void
  /** What sends requests, in place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** What waits between attempts, until the signal ends it: a test need not. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}>

type Answer = Readonly<{ status: number; headers: Headers; bytes: ArrayBuffer }>

/** A timer of a longer time ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

const timerOf = (end: () => void, ms: number): ReturnType<typeof setTimeout> => setTimeout(end, Math.min(ms, LONGEST_TIMER_MS))

const later = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = timerOf(end, ms)
    signal.addEventListener('abort', end)
  })

/** One attempt. It ends with the whole answer, so that a body that is cut or comes too slowly fails here. */
const attempt = async (
  request: Request,
  body: ArrayBuffer,
  { timeoutMs = 30_000, fetch = globalThis.fetch }: SendOptions,
): Promise<Answer> => {
  const { method, headers, signal } = request
  // AbortSignal.any is missing in Node.js 18.
  const ending = new AbortController()
  const abort = () => ending.abort(signal.reason)
  signal.addEventListener('abort', abort)
  const timer = timerOf(() => ending.abort(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    // Followed, a redirect would hand the key to another host.
    const init: RequestInit = { method, headers, signal: ending.signal, redirect: 'manual', ...(body.byteLength > 0 && { body }) }
    const response = await fetch(request.url, init)
    return { status: response.status, headers: response.headers, bytes: await response.arrayBuffer() }
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

const NO_BODY = new Set([204, 205])

/** Every success but an empty one is JSON with `data`: what a proxy answers in its place is none. */
const isOurs = (text: string): boolean => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'data' in body
  } catch {
    return false
  }
}

const check = ({ status, headers, bytes }: Answer, call: CallFacts): Response | ApiError => {
  if (isSuccess(status) && NO_BODY.has(status)) return new Response(null, { status, headers })
  const text = new TextDecoder().decode(bytes)
  if (isSuccess(status) && isOurs(text)) return new Response(text, { status, headers: { 'Content-Type': 'application/json' } })
  return new ApiError({ status, text, requestId: headers.get('X-Request-Id'), retryAfterSeconds: retryAfterSeconds(headers) }, call)
}

type Verdict = Readonly<{ error: ApiError | ConnectionError; again: boolean; asked: number | null }>

const judge = (error: ApiError | ConnectionError): Verdict => {
  if (error instanceof ConnectionError) return { error, again: true, asked: null }
  return { error, again: mayRetry(error.status, error.code), asked: error.retryAfterSeconds }
}

/**
 * Sends requests again that failed in passing. A write carries an `Idempotency-Key`, so that it is carried out once however often it is sent.
 * Throws `ApiError`, `ConnectionError`, or the reason of the caller's signal.
 */
export function createSender(options: SendOptions): (request: Request) => Promise<Response> {
  const { retries = 4, longestWaitMs = 60_000, onRetry, sleep = later } = options
  return async (request) => {
    const body = await request.clone().arrayBuffer()
    for (let attempts = 1; ; attempts++) {
      const call = { method: request.method, url: request.url, attempts, idempotencyKey: request.headers.get('Idempotency-Key') }
      const outcome = await attempt(request, body, options).then(
        (answer) => check(answer, call),
        (error: unknown) => new ConnectionError(error, call),
      )
      request.signal.throwIfAborted()
      if (outcome instanceof Response) return outcome
      const { error, again, asked } = judge(outcome)
      if (!again || attempts > retries || (asked ?? 0) * 1_000 > longestWaitMs) throw error
      const wait = waitMs(attempts, asked, Math.random)
      onRetry?.({ attempt: attempts, waitMs: wait, error })
      await sleep(wait, request.signal)
      request.signal.throwIfAborted()
    }
  }
}
