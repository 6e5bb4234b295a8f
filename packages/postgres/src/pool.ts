import pg from 'pg'

/** `max` connections at most; `name` shows in pg_stat_activity; `onIdleError` hears of idle connections that the server closed. */
export type PoolSettings = Readonly<{ url: string; max: number; name: string; onIdleError?: (error: Error) => void }>

const INT8 = 20

/** Parses int8 as bigint for one pool: log positions do not fit a double, and the process-wide parser belongs to nobody. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format)),
}

/**
 * A pool of connections that reads int8 as bigint. Nothing connects before the first query.
 * A query that finds no free connection within 5 s fails, and `isTransient` says so of that error.
 */
export function createPool(settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
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
