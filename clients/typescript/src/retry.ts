/** Statuses after which the same request may succeed: 408 was not read whole, 429 and every 5xx are not stored under an `Idempotency-Key`. */
const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** The first request under this key still runs: its answer is there soon. */
const IN_PROGRESS = 'idempotency_in_progress'

/** Whether the same request may be sent again after this answer. No other 4xx is worth it. */
export function mayRetry(status: number, code: string | undefined): boolean {
  return isTransient(status) || (status === 409 && code === IN_PROGRESS)
}

/** The bucket of the key answers with a header of its own. */
const HEADERS = ['Retry-After', 'Retry-After-tenant']

/** A date is by the clock of the server, so it is compared with that clock. */
const secondsUntil = (text: string, headers: Headers): number => {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER) // more digits may stand there than a number holds
  const now = Date.parse(headers.get('Date') ?? '')
  return (Date.parse(text) - (Number.isNaN(now) ? Date.now() : now)) / 1_000
}

/** The longest wait that an answer asks for: a number of seconds or a date, in either header. Null where it asks nothing that can be read. */
export function retryAfterSeconds(headers: Headers): number | null {
  const waits = HEADERS.flatMap((name) => headers.get(name)?.trim() ?? []).map((text) => secondsUntil(text, headers))
  const readable = waits.filter((seconds) => Number.isFinite(seconds))
  return readable.length === 0 ? null : Math.max(0, ...readable)
}

const FIRST_MS = 500
const LONGEST_MS = 8_000

/** The wait before the next attempt: twice as long each time, and a random part of it so that clients do not come together; after what was asked, if anything. */
export function waitMs(attempt: number, askedSeconds: number | null, random: () => number): number {
  const step = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  return askedSeconds === null ? step * (0.5 + random() / 2) : askedSeconds * 1_000 + step * random()
}
