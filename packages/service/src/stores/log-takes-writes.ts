import type { ReadinessCheck } from '@tidings/http'
import type { Pool } from 'pg'
import { takesLock } from './takes-lock.ts'

// A reader of the table, as a backup is, blocks no append.
const HOLDER = `
  select coalesce(nullif(a.application_name, ''), 'a connection') as name, a.pid
  from pg_locks l left join pg_stat_activity a using (pid)
  where l.relation = 'es.append_lock'::regclass and l.database = (select oid from pg_database where datname = current_database())
    and l.granted and l.mode <> 'AccessShareLock' limit 1`

/** Goes the way of an append as far as its lock: a log that can be read and not be written is not ready. */
export function logTakesWrites(pool: Pool): ReadinessCheck {
  return () =>
    takesLock(pool, {
      lock: { text: 'select es.lock()', values: [] },
      holder: { text: HOLDER, values: [] },
      what: 'nothing can be written: the lock of the log',
    })
}
