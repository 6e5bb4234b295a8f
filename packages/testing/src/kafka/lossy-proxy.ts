import { connect, createServer, type Socket } from 'node:net'

/** The wire between clients and a broker. */
export type TcpProxy = Readonly<{
  port: number
  /** Swallows every n-th answer to a produce request from now on, which the broker has stored, and cuts the connection; 0: none. */
  loseAcknowledgements: (everyNth: number) => void
  lost: () => number
  close: () => Promise<void>
}>

const PRODUCE = 0
/** Length, then the number of the API. */
const HEADER_BYTES = 6

/** A wire to a port of this machine that can be made to fail. */
export async function startTcpProxy(to: number): Promise<TcpProxy> {
  const state = { everyNth: 0, produced: 0, lost: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const broker = connect({ port: to, host: '127.0.0.1', noDelay: true })
    let cut = false
    client.on('data', (data) => {
      // One request is in flight at a time, so a chunk begins with a request or goes on with one.
      const produces = data.length > HEADER_BYTES && data.readInt16BE(4) === PRODUCE
      if (produces && state.everyNth > 0 && ++state.produced % state.everyNth === 0) cut = true
      broker.write(data)
    })
    broker.on('data', (data) => {
      if (!cut) return client.write(data)
      state.lost += 1
      client.destroy()
      return broker.destroy()
    })
    for (const [socket, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    loseAcknowledgements: (everyNth) => {
      Object.assign(state, { everyNth, produced: 0 })
    },
    lost: () => state.lost,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
