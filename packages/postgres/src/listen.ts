import { repeat } from '@tidings/async'
import pg from 'pg'

/**
 * `onMessage` gets each payload; any client can send one, so what it throws goes to `onFault` and the next message is delivered.
 * `onConnected` runs after every (re)connection: notifications are lost while the connection is down, so the listener must check for news.
 */
export type Listening = Readonly<{
  pool: pg.Pool
  channel: string
  onMessage: (payload: string) => void
  onConnected?: () => void
  onLost?: (error: Error) => void
  onFault?: (error: unknown) => void
}>

const MIN_DELAY_MS = 50
const MAX_DELAY_MS = 2_000

/**
 * LISTEN on a connection of its own (the pool's address, none of its slots), reconnecting for ever with growing delays up to 2 s.
 * Resolves at once; `stop` resolves when the connection is closed.
 */
export function listen(to: Listening): { stop: () => Promise<void> } {
  let wait = MIN_DELAY_MS
  const listening = repeat({
    round: async (signal) => {
      const lost = await listenOnce(to, signal, () => {
        wait = MIN_DELAY_MS
        to.onConnected?.()
      })
      if (signal.aborted) return 0
      to.onLost?.(lost)
      const now = wait
      wait = Math.min(wait * 2, MAX_DELAY_MS)
      return now
    },
  })
  return { stop: listening.stop }
}

/** One connection from its opening to its end; resolves with the reason of the end. */
async function listenOnce(to: Listening, signal: AbortSignal, connected: () => void): Promise<Error> {
  const client = new pg.Client(to.pool.options)
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>()
  const stop = () => end(new Error('stopped'))
  client.on('error', end)
  client.on('end', () => end(new Error('the server closed the connection')))
  client.on('notification', ({ payload = '' }) => {
    // Thrown here it would come out of the socket's handler, and end the process.
    try {
      to.onMessage(payload)
    } catch (error) {
      to.onFault?.(error)
    }
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(to.channel)}`)
    connected()
    return await ended
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    signal.removeEventListener('abort', stop)
    await client.end().catch(() => undefined)
  }
}
