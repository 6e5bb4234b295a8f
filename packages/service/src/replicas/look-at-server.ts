import { createPool } from '@tidings/postgres'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'

/** Each server has so long to answer. */
const LOOK_TIMEOUT_MS = 3_000

/**
 * `lsn`: where its WAL is: replayed on a replica, safe on disk on a primary. `system`: the same for a server and its replicas. `startedAt`: another one after
 * a restart, by which a replica may show less than before.
 */
export type Look = Readonly<{ isReplica: boolean; lsn: bigint; system: string; startedAt: string }>

/** When the server was started, to the microsecond. */
export const STARTED_AT = 'pg_postmaster_start_time()::text as "startedAt"'

const LOOK = `select pg_is_in_recovery() as "isReplica", (select system_identifier::text from pg_control_system()) as system, ${STARTED_AT},
  ((case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0') else pg_current_wal_flush_lsn() end) - '0/0'::pg_lsn)::int8 as lsn`

/** One connection for looks: where it hangs it is closed, and the next look makes another. */
export function lookingPool(url: string, name: string): Pool {
  return createPool({ url, max: 1, name, timeoutMs: LOOK_TIMEOUT_MS, answerMs: LOOK_TIMEOUT_MS })
}

export async function lookAtServer(pool: Pool): Promise<Look> {
  const asked = pool.query<Look>({ name: 'server look', text: LOOK })
  const { rows } = await pTimeout(asked, { milliseconds: LOOK_TIMEOUT_MS, message: 'no answer within 3 s' })
  const [look] = rows
  if (look === undefined) throw new Error('no answer')
  return look
}

/** Without credentials. */
export function serverName(url: string): string {
  const { host, port, pathname, searchParams } = new URL(url.replace('@/', '@socket/'))
  const folder = searchParams.get('host')
  // Two servers of one machine may have their sockets in one folder.
  return folder === null ? `${host}${pathname}` : `${[folder, searchParams.get('port') ?? port].filter(Boolean).join(':')}${pathname}`
}
