/**
 * What `load.ts` is to send. In `path` and `body`, `{n}` is a number that never comes twice, `{m}` the same modulo `of`, `{value}` one of
 * `values`, one after the other, `{group}` one of `groups`: the next one after all values.
 */
export type LoadPlan = Readonly<{
  url: string
  method: 'GET' | 'PATCH' | 'POST' | 'PUT'
  path: string
  headers: Readonly<Record<string, string>>
  connections: number
  seconds: number
  /** Requests a second, evenly, of all connections together; without it as many as are answered. */
  rate?: number
  from: number
  of?: number
  values?: readonly string[]
  groups?: readonly string[]
  body?: string
  /** The status of an answer; any success by default. */
  expect?: number
}>

/** Latencies in ms. `pending`: answers that said the write could not be read yet. `startedAt`: when the first request left, in ms since 1970. */
export type LoadResult = Readonly<{
  perSecond: number
  p50: number
  p99: number
  answered: number
  refused: number
  /** The first refusal, as it was answered. */
  refusal: string | null
  pending: number
  next: number
  startedAt: number
  cpuSeconds: number
}>
