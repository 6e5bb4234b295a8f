import { startTicker, type Ticker } from '@tidings/async'
import pg from 'pg'

const EVERY_MS = 5_000
/** So many looks find the same silence before the server is asked, and so many times the server says that it has no such statement. */
const LOOKS = 2

type Stream = Readonly<{ bytesRead: number; bytesWritten: number; destroy: (error: Error) => void }>

/** What `pg` has of a connection. `readyForQuery`: false while a statement is not answered. */
type Connected = pg.PoolClient & Readonly<{ processID: number; readyForQuery: boolean; connection: Readonly<{ stream: Stream }> }>

type Silence = { readonly of: string; looks: number; denials: number }

// A pooler between gives numbers of its own, and nothing follows from them.
const KNOWN = `select pg_backend_pid() as own,
  array(select pid from pg_stat_activity where pid = any($1) and coalesce(state, '') not like 'idle%') as working`

/**
 * Ends connections that wait for the answer to a statement of which the server knows nothing: it vanished, and another one is there in its place, or the path to
 * it forgot the connection. TCP gives up after a quarter of an hour, and keepalive says nothing while what was sent is not acknowledged. The server is asked
 * over a new connection; one that works on a statement is left alone, however long that takes, and so is every one while the server does not answer.
 */
export function endForgottenConnections(pool: pg.Pool, everyMs: number = EVERY_MS): void {
  const silences = new Map<Connected, Silence>()
  let ticker: Ticker | null = null

  const look = async (): Promise<void> => {
    for (const [client, before] of silences) {
      const { bytesRead, bytesWritten } = client.connection.stream
      const now = `${bytesRead} ${bytesWritten}`
      if (client.readyForQuery || before.of !== now) silences.set(client, { of: now, looks: 0, denials: 0 })
      else before.looks++
    }
    const silent = [...silences].filter(([, { looks }]) => looks >= LOOKS)
    if (silent.length === 0) return
    const working = await workingOn(
      pool,
      silent.map(([{ processID }]) => processID),
    )
    for (const [client, silence] of silent) {
      if (working === null || working.has(client.processID) || silences.get(client) !== silence) continue
      silence.denials++
      if (silence.denials >= LOOKS)
        client.connection.stream.destroy(new Error('Connection terminated: the server knows nothing of its statement'))
    }
  }

  pool.on('connect', (client) => {
    silences.set(client as Connected, { of: '', looks: 0, denials: 0 })
    ticker ??= startTicker(everyMs, look)
  })
  pool.on('remove', (client) => {
    silences.delete(client as Connected)
    if (silences.size > 0) return
    ticker?.stop()
    ticker = null
  })
}

/** Those of the server's processes that work on a statement; null where it does not say. */
async function workingOn(pool: pg.Pool, pids: readonly number[]): Promise<ReadonlySet<number> | null> {
  const { options } = pool
  const probe = new pg.Client({ ...options, query_timeout: options.connectionTimeoutMillis })
  probe.on('error', () => undefined)
  try {
    await probe.connect()
    const { rows } = await probe.query<{ own: number; working: number[] }>(KNOWN, [pids])
    const [row] = rows
    return row === undefined || row.own !== (probe as unknown as Connected).processID ? null : new Set(row.working)
  } catch {
    return null
  } finally {
    void probe.end().catch(() => undefined)
  }
}
