import pg from 'pg'
import { createPace, type Pace } from './pace.ts'

/** `max` connections at most; `name` shows in pg_stat_activity; `onIdleError` hears of idle connections that the server closed. */
export type PoolSettings = Readonly<{ url: string; max: number; name: string; onIdleError?: (error: Error) => void }>

const INT8 = 20

/** Parses int8 as bigint for one pool: log positions do not fit a double, and the process-wide parser belongs to nobody. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format)),
}

type Connected = (error: Error | null, client?: pg.Client) => void

/**
 * Connections at a pace that the pool shares. A database that is gone was asked eleven times a second by an idle process of projectors,
 * each time with the hashing of a log-in: 5 to 13 % of a core.
 */
const pacedClient = (pace: Pace): typeof pg.Client =>
  class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = pace(() => super.connect())
      if (callback === undefined) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }
  }

/**
 * A pool of connections that reads int8 as bigint. Nothing connects before the first query.
 * A query that finds no free connection within 5 s fails, and `isTransient` says so of that error. While the server cannot be reached it
 * is tried twice a second, for everybody who asks.
 */
export function createPool(settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    Client: pacedClient(createPace()),
    connectionString: settings.url,
    max: settings.max,
    application_name: settings.name,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types,
  })
  // Without a listener the loss of an idle connection would end the process. The pool drops it; the next query opens another.
  pool.on('error', (error) => settings.onIdleError?.(error))
  // Nor may the loss of one that is checked out: whoever uses it hears of it from the statement that fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
