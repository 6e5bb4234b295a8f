import pg from 'pg'
import { type ConnectBackoff, createConnectBackoff } from './connect-backoff.ts'
import { endForgottenConnections } from './silent-connections.ts'

/**
 * `max` connections at most; `name` shows in pg_stat_activity; `onIdleError` is called for idle connections that the server closed; `timeoutMs`, 5 s by default,
 * is how long a query waits for a connection. A statement without an answer within `answerMs` fails, and its connection is closed: that of a server that vanished
 * would be waited on for as long as TCP does. `lookMs`: how often silent connections are looked at.
 */
export type PoolSettings = Readonly<{
  url: string
  max: number
  name: string
  onIdleError?: (error: Error) => void
  timeoutMs?: number
  answerMs?: number
  lookMs?: number
}>

const TIMEOUT_MS = 5_000

/** Without a time of its own the first probe of a connection comes after two hours (`tcp_keepalive_time`); the host is lost ten probes, 10 s, later. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

const INT8 = 20

/** Parses int8 as bigint for one pool: log positions do not fit a double, and the process-wide parser must not change. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format)),
}

type Connected = (error: Error | null, client?: pg.Client) => void

/**
 * A client whose connection attempts share the pool's backoff. Without it an idle process of projectors asked a lost database eleven times
 * a second, each time with the hashing of a login: 5 to 13 % of a core.
 * It has a listener for errors from its making on, since one that is lost without any ends the process. The pool has one only while a client
 * is idle: not while it is checked out, nor between the server's word that it is ready and the promises that wait for it.
 */
const clientWith = (backoff: ConnectBackoff): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      this.on('error', () => undefined)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = backoff(() => super.connect())
      if (callback === undefined) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }
  }

/**
 * A pool of connections that reads int8 as bigint. Nothing connects before the first query.
 * A query that finds no free connection within `timeoutMs` fails with an error that `isTransient`. While the server cannot be reached, the pool
 * tries to connect twice a second at most.
 */
export function createPool(settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    Client: clientWith(createConnectBackoff()),
    connectionString: settings.url,
    max: settings.max,
    application_name: settings.name,
    connectionTimeoutMillis: settings.timeoutMs ?? TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    ...KEEP_ALIVE,
    ...(settings.answerMs !== undefined && { query_timeout: settings.answerMs }),
    types,
  })
  // The listener keeps a lost idle connection from ending the process. The pool drops it; the next query opens another.
  pool.on('error', (error) => settings.onIdleError?.(error))
  endForgottenConnections(pool, settings.lookMs)
  letProcessEnd(pool)
  return pool
}

/** What `pg` has and its types do not say. */
type UnrefClient = pg.PoolClient & Readonly<{ unref: () => void }>

/** A server that hangs never closes its side: a connection of a pool that has ended keeps no process alive. */
function letProcessEnd(pool: pg.Pool): void {
  const open = new Set<UnrefClient>()
  pool.on('connect', (client) => open.add(client as UnrefClient))
  pool.on('remove', (client) => open.delete(client as UnrefClient))
  const end = pool.end.bind(pool) as () => Promise<void>
  pool.end = (async () => {
    await end()
    for (const client of open) client.unref()
  }) as typeof pool.end
}
