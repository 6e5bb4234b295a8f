import type { Config } from '@tidings/config'
import type { Log } from '@tidings/log'
import { createPool, migrate } from '@tidings/postgres'
import type { Pool } from 'pg'
import { OperationFailed } from '../terminal/answer.ts'
import { releaseClaimsOfTheDead, WORK } from './claims-of-the-dead.ts'
import { connectDatabase } from './database.ts'

/** The connections of one process. `close` ends them, and the server where this process owns it. */
export type Pools = Readonly<{
  pool: Pool
  /** For long work (projections, lanes), so that it never takes a connection from a request. */
  workPool: Pool
  close: () => Promise<void>
}>

export type Opening = Readonly<{ config: Config; log: Log; mode: 'service' | 'command' }>

const assertMigrated = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ ready: boolean }>(`select to_regclass('public.schema_migration') is not null as ready`)
  if (!rows[0]?.ready) throw new OperationFailed('The database has no Tidings schema yet: run `tidings migrate` once.')
}

const freeWhatWasHeld = async (pool: Pool, log: Log): Promise<void> => {
  const released = await releaseClaimsOfTheDead(pool)
  if (released > 0) log.info({ released }, 'what the process before had in its hands is taken up at once')
}

/** Connects to the configured database, or starts the embedded one; its schema is there when this resolves. Nothing connects twice for nothing. */
export const openPools = async ({ config, log, mode }: Opening): Promise<Pools> => {
  const database = await connectDatabase(config, log, mode)
  let closing = false
  // A pool's end does not wait for its sockets: a server that stops right afterwards still says goodbye to some.
  const onIdleError = (error: Error) => {
    if (!closing) log.warn({ err: error }, 'an idle database connection was closed')
  }
  const max = config.storage.poolSize
  const pool = createPool({ url: database.url, max, name: 'tidings', onIdleError })
  const workPool = createPool({ url: database.url, max, name: WORK, onIdleError })
  const close = async () => {
    closing = true
    await Promise.all([pool.end(), workPool.end()])
    await database.close()
  }
  try {
    if (!database.embedded) await assertMigrated(pool)
    else {
      await migrate(pool)
      if (mode === 'service') await freeWhatWasHeld(pool, log)
    }
    return { pool, workPool, close }
  } catch (error) {
    await close()
    throw error
  }
}
