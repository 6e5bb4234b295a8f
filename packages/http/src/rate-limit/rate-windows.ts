import type { Pool } from 'pg'

/** What one process asks for one key: to let `want` requests through now and `ahead` more without asking; `spent` of what it was granted in `window`. */
export type Ask = Readonly<{ key: string; limit: number; want: number; ahead: number; window: string; spent: number }>

/** `used`: requests of this window that the store knows of. `window` names it. Milliseconds; `blockedForMs` is positive while every request is refused. */
export type Grant = Readonly<{ granted: number; ahead: number; used: number; window: string; endsInMs: number; blockedForMs: number }>

/** Counts that all processes share. */
export type RateWindows = Readonly<{
  /** One answer an ask, in their order; no key twice. */
  take: (asks: readonly Ask[]) => Promise<readonly Grant[]>
  /** Deletes what has ended. */
  sweep: () => Promise<void>
}>

type RateWindowRow = [item: number, granted: number, ahead: number, used: number, window: bigint, endsIn: bigint, blockedFor: bigint]

const TAKE = 'select * from ops.take_rates($1::uuid[], $2::int[], $3::int[], $4::int[], $5::bigint[], $6::int[], $7)'
const SWEEP_AT_ONCE = 10_000

/** The table `ops.rate_window`; the function `ops.take_rates` says what is promised. */
export function rateWindows(pool: Pool, windowMs: number): RateWindows {
  return {
    take: async (asks) => {
      const { rows } = await pool.query<RateWindowRow>({
        name: 'http_take_rates',
        text: TAKE,
        rowMode: 'array',
        values: [
          asks.map(({ key }) => key),
          asks.map(({ limit }) => limit),
          asks.map(({ want }) => want),
          asks.map(({ ahead }) => ahead),
          asks.map(({ window }) => window),
          asks.map(({ spent }) => spent),
          windowMs,
        ],
      })
      const grants: Grant[] = []
      for (const [item, granted, ahead, used, window, endsIn, blockedFor] of rows) {
        grants[item - 1] = { granted, ahead, used, window: String(window), endsInMs: Number(endsIn), blockedForMs: Number(blockedFor) }
      }
      return grants
    },
    sweep: async () => {
      await pool.query(
        `delete from ops.rate_window where key in (
         select key from ops.rate_window where greatest(ends, blocked) < ops.now_ms() limit ${SWEEP_AT_ONCE} for update skip locked)`,
      )
    },
  }
}
