import type { ReadinessCheck } from '@tidings/http'
import { SEND_KINDS } from '@tidings/jobs'
import type { Pool } from 'pg'
import { takesLock } from './takes-lock.ts'

const KINDS = Object.values(SEND_KINDS).flatMap((kinds) => Object.values(kinds))

const HOLDER = `
  select coalesce(nullif(a.application_name, ''), 'a connection') as name, a.pid
  from pg_locks l left join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.classid = 730511 and l.objid::int8 = (hashtext($1)::int8 & 4294967295) and l.granted limit 1`

/** Goes the way of a send as far as the lock of its kind: any login of the database can take it. */
export function inboxTakesWork(pool: Pool): ReadinessCheck {
  return async () => {
    for (const kind of KINDS)
      await takesLock(pool, {
        lock: { text: 'select inbox.lock_kind($1)', values: [kind] },
        holder: { text: HOLDER, values: [kind] },
        what: `no ${kind} can be begun: the lock of the kind`,
      })
  }
}
