import { startTicker, type Ticker } from '@tidings/async'
import type { Pool } from 'pg'

/** Limits of a session of a projection's login. It can change its own settings, but not these. */
export const SESSION_LIMITS = { statementSeconds: 60, transactionSeconds: 300 } as const

type Limits = Readonly<{ statementSeconds: number; transactionSeconds: number }>

/** The pause between two looks: a lock of such a session blocks others for at most this long. */
const EVERY_MS = 1_000

/**
 * The lock that a run takes of its own schema is the only one it needs. The locks of the server are looked at only where such a session is. The times
 * are those of the server.
 */
const END = `
  select a.usename as role, pg_terminate_backend(a.pid) as ended,
    case when locked.any then 'lock' when a.state = 'active' and a.query_start < clock_timestamp() - make_interval(secs => $1) then 'statement'
      else 'transaction' end as why
  from pg_stat_activity a join ops.analyst_role r on r.role = a.usename
  cross join lateral (
    select exists (
      select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory'
        and not (l.objsubid = 1 and (l.classid::int8 << 32 | l.objid::int8) = hashtextextended('analyst run ' || r.schema, 0))) as any) locked
  where a.datname = current_database() and a.pid <> pg_backend_pid() and r.role <> current_user and (locked.any
    or (a.state = 'active' and a.query_start < clock_timestamp() - make_interval(secs => $1))
    or a.xact_start < clock_timestamp() - make_interval(secs => $2))`

/** `why`: it had an advisory lock that is not its own, or its statement or transaction took too long. */
export type EndedSession = Readonly<{ role: string; ended: boolean; why: 'lock' | 'statement' | 'transaction' }>

/**
 * Ends sessions of projections' logins that block others: any login may take any advisory lock, those of the inbox, of rebuilds and of starts among
 * them, and lift the time limits of its own sessions.
 */
export async function endSessions(pool: Pool, limits: Limits = SESSION_LIMITS): Promise<readonly EndedSession[]> {
  const { rows } = await pool.query<EndedSession>({ text: END, values: [limits.statementSeconds, limits.transactionSeconds] })
  return rows
}

type Watching = Readonly<{ pool: Pool; onEnded?: (session: EndedSession) => void; onFault?: (error: unknown) => void }>

/** Looks every second, from one second on. */
export function watchSessions({ pool, onEnded = () => undefined, onFault = () => undefined }: Watching): Ticker {
  return startTicker(EVERY_MS, async () => {
    try {
      for (const session of await endSessions(pool)) onEnded(session)
    } catch (error) {
      onFault(error)
    }
  })
}
