import { type ClientHttp2Session, connect } from 'node:http2'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { status } from '@grpc/grpc-js'
import { ending } from './grpc-wire.ts'
import { FLOW_WINDOW, type ServerAccess } from './server-access.ts'

/** `end` closes the connection at once; Node alone waits for what has not left, and after a GOAWAY for the other end. */
export type AppendSession = Readonly<{ session: ClientHttp2Session; end: () => void }>

/** `node` is host and port. The promise rejects if the node does not take the connection. */
export async function openAppendSession(node: string, { tls, keepAlive }: Pick<ServerAccess, 'tls' | 'keepAlive'>): Promise<AppendSession> {
  let socket: Socket | undefined
  const session = connect(`${tls === null ? 'http' : 'https'}://${node}`, {
    settings: { initialWindowSize: FLOW_WINDOW, enablePush: false },
    createConnection: (url) => {
      socket = socketTo(url, tls)
      return socket
    },
  })
  const end = (error?: Error): void => {
    session.destroy(error)
    socket?.destroy()
  }
  await connected(session, end)
  session.setLocalWindowSize(FLOW_WINDOW)
  if (keepAlive !== null) keepAlivePings({ session, end }, keepAlive)
  return { session, end }
}

/** This is as `http2.connect` does it; it keeps the socket to itself. */
const socketTo = ({ protocol, hostname, port: given }: URL, tls: ServerAccess['tls']): Socket => {
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const port = Number(given === '' ? (protocol === 'http:' ? 80 : 443) : given)
  if (tls === null) return connectPlain({ host, port })
  return connectTls({ host, port, ALPNProtocols: ['h2'], ...(isIP(host) === 0 && { servername: host }), ...tls })
}

const CONNECT_MS = 5_000

/** Errors of the session have a listener from here on; the stream that they end reports them, too. */
const connected = (session: ClientHttp2Session, end: (error: Error) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => end(new Error('no connection within 5 s')), CONNECT_MS)
    session.on('error', (error: Error) => reject(ending(status.UNAVAILABLE, error.message)))
    session.once('close', () => {
      clearTimeout(late)
      reject(ending(status.UNAVAILABLE, 'the connection was closed'))
    })
    session.once('connect', () => {
      clearTimeout(late)
      resolve()
    })
  })

/**
 * A connection whose other end is gone without a word is ended, and so is one that takes no more pings since its server said that it goes away. A
 * session may be destroyed long before it is closed.
 */
const keepAlivePings = ({ session, end }: AppendSession, { intervalMs, timeoutMs }: NonNullable<ServerAccess['keepAlive']>): void => {
  let late: NodeJS.Timeout | undefined
  const timer = setInterval(() => {
    if (session.destroyed) return clearInterval(timer)
    if (late !== undefined) return
    late = setTimeout(end, timeoutMs).unref()
    session.ping((error) => {
      clearTimeout(late)
      late = undefined
      if (error !== null) end()
    })
  }, intervalMs).unref()
  session.once('close', () => clearInterval(timer))
}
