import { watchSessions } from '@tidings/analyst/sessions'
import type { Log } from '@tidings/observability/log'
import type { Pool } from 'pg'

/** Runs in every process, so that none of them has to be up. */
export function watchAnalysts(pool: Pool, log: Log): () => Promise<void> {
  let fault = ''
  const watching = watchSessions({
    pool,
    onEnded: (session) => log.warn(session, 'a session of an analyst’s projection blocked others, and was ended'),
    // The same fault every second is one line.
    onFault: (error) => {
      const said = error instanceof Error ? error.message : String(error)
      if (said !== fault) log.warn({ err: error }, 'sessions of analysts’ projections could not be looked at')
      fault = said
    },
  })
  return async () => watching.stop()
}
