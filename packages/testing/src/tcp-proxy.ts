import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** The wire between clients and the server, which a test can cut or hold. */
export type TcpProxy = Readonly<{
  port: number
  /** Resets every connection. */
  cut: () => void
  /** Stops carrying what clients send, so that their writes back up. */
  hold: () => void
  release: () => void
  /** Leaves the connections that are there without a word for ever, as a machine does that lost its power. New ones are carried. */
  strand: () => void
  close: () => Promise<void>
}>

type Ends = Readonly<{ client: Socket; upstream: Socket }>

/** Carries a local port (0: any) to the server's, or to the path of its socket. */
export async function startTcpProxy(port: number, target: number | string): Promise<TcpProxy> {
  const connections = new Set<Ends>()
  const stranded = new Set<Ends>()
  let held = false
  const server = createServer((client) => {
    const ends = { client, upstream: typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1') }
    connections.add(ends)
    client.on('close', () => {
      connections.delete(ends)
      stranded.delete(ends)
    })
    join(ends)
    if (held) hold(ends)
  })
  // @grpc/grpc-js keeps its connections by address for the whole process: a new server on the port of one that has just closed would be
  // called over the old one's connection, as long as its end has not been noticed.
  const bound = port === 0 ? await freePort() : port
  await once(server.listen(bound, '127.0.0.1'), 'listening')
  const cut = (): void => {
    for (const { client, upstream } of [...connections, ...stranded])
      for (const socket of [client, upstream]) typeof target === 'string' ? socket.destroy() : socket.resetAndDestroy()
  }
  return {
    port: bound,
    cut,
    hold: () => {
      held = true
      for (const ends of connections) hold(ends)
    },
    release: () => {
      held = false
      for (const { client, upstream } of connections) client.pipe(upstream)
    },
    strand: () => {
      for (const ends of connections) {
        hold(ends)
        stranded.add(ends)
      }
      connections.clear()
    },
    close: () => {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const join = ({ client, upstream }: Ends): void => {
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
  }
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
  client.pipe(upstream)
  upstream.pipe(client)
}

const hold = ({ client, upstream }: Ends): void => {
  client.unpipe(upstream).pause()
}
