import type { Pool } from 'pg'

/** Reserves times for that many messages, `everyUs` apart; resolves with the microseconds until the first of them. */
export type ReserveTimes = (count: number, everyUs: number) => Promise<number>

const NOW_US = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'
/** Further ahead than processes reserve. */
const MAX_AHEAD_US = 60_000_000

/** The row is locked before the time is asked of the clock. */
const RESERVE = `
  insert into ops.send_rate as r (name, next) values ($1, ${NOW_US} + $2::bigint)
  on conflict (name) do update set next = greatest(least(r.next, ${NOW_US} + ${MAX_AHEAD_US}), ${NOW_US}) + $2::bigint
  returning next - $2::bigint - ${NOW_US} as wait`

/**
 * Times for the messages of one channel, over all processes: no two reservations overlap. They are in the order in which they are made. A
 * clock of the server that goes back delays no message by more than a minute.
 */
export function reserveTimesIn(pool: Pool, name: string): ReserveTimes {
  return async (count, everyUs) => {
    const { rows } = await pool.query<{ wait: string }>({ name: 'reserve-times', text: RESERVE, values: [name, count * everyUs] })
    return Math.max(0, Number(rows[0]?.wait))
  }
}
