import type { MaybePromise } from '@tidings/async'

/** What a bucket says of one request. Seconds are whole, rounded up. */
export type Hit =
  | Readonly<{ blocked: false; remaining: number; resetSeconds: number }>
  | Readonly<{ blocked: true; retryAfterSeconds: number }>

/** Counts requests. In memory today; a store shared by several processes answers with promises. */
export type RateCounters = Readonly<{ hit: (key: string, limit: number) => MaybePromise<Hit> }>
