import { connect, createServer, type Socket } from 'node:net'

/** The wire between clients and the server, which a test can cut or hold. */
export type Cable = Readonly<{
  port: number
  /** Resets every connection. */
  cut: () => void
  /** Stops carrying what clients send, so that their writes back up. */
  hold: () => void
  release: () => void
  close: () => Promise<void>
}>

type Ends = Readonly<{ client: Socket; upstream: Socket }>

/** Carries a local port (0: any) to the server's. */
export const layCable = async (port: number, target: number): Promise<Cable> => {
  const connections = new Set<Ends>()
  let held = false
  const server = createServer((client) => {
    const ends = { client, upstream: connect(target, '127.0.0.1') }
    connections.add(ends)
    client.on('close', () => connections.delete(ends))
    join(ends)
    if (held) hold(ends)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const cut = (): void => {
    for (const { client, upstream } of connections) for (const socket of [client, upstream]) socket.resetAndDestroy()
  }
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    cut,
    hold: () => {
      held = true
      for (const ends of connections) hold(ends)
    },
    release: () => {
      held = false
      for (const { client, upstream } of connections) client.pipe(upstream)
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
