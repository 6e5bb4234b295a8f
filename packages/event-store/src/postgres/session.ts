import pg from 'pg'
import { Unavailable } from '../errors.ts'

export type SessionOptions = Readonly<{
  /** Its connection settings are used; its connections are not: other transactions cannot starve the log. */
  pool: pg.Pool
  name: string
  /** Run once on every new connection. */
  setup: string
  /** Milliseconds after which a silent server counts as lost. */
  callTimeoutMs: number
  onNotification?: (payload: string) => void
  /** The connection was lost. */
  onLost?: (error: Error | undefined) => void
}>

/** One connection of its own, opened at the first use and again after it was lost. */
export type Session = Readonly<{
  client: () => Promise<pg.Client>
  /** Closes the connection hard after a failed call: the server may still be busy with it. */
  discard: () => void
  close: () => Promise<void>
}>

export function openSession(options: SessionOptions): Session {
  let current: Promise<pg.Client> | undefined
  let closed = false
  const discard = async (): Promise<void> => {
    const gone = current
    current = undefined
    // Closing a lost connection may fail; it is lost either way.
    await gone?.then((client) => client.end()).catch(() => undefined)
  }
  return {
    client: () => {
      if (closed) return Promise.reject(new Unavailable('the event store is closed'))
      if (current !== undefined) return current
      const opening: Promise<pg.Client> = connect(options, (error) => {
        if (current !== opening) return
        void discard()
        options.onLost?.(error)
      })
      opening.catch(() => {
        if (current === opening) current = undefined
      })
      current = opening
      return opening
    },
    discard: () => void discard(),
    close: () => {
      closed = true
      return discard()
    },
  }
}

const connect = async (options: SessionOptions, lost: (error?: Error) => void): Promise<pg.Client> => {
  const client = new pg.Client({
    ...options.pool.options,
    application_name: options.name,
    connectionTimeoutMillis: options.callTimeoutMs,
    query_timeout: options.callTimeoutMs,
  })
  client.on('error', lost)
  client.on('end', lost)
  client.on('notification', ({ payload }) => options.onNotification?.(payload ?? ''))
  try {
    await client.connect()
    await client.query(options.setup)
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
  return client
}
