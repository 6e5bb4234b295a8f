import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { freePort } from './free-port.ts'

export type RestartableServer = Readonly<{
  port: number
  /** How many connections were opened so far. */
  connections: () => number
  /** Cuts every connection and closes the port; `start` opens the same port again. */
  stop: () => Promise<void>
  start: () => Promise<void>
}>

/** An HTTP server in this process that keeps its port while it is stopped. Where `answer` fails, the connection is cut. `port`: 0 for a free one. */
export async function createRestartableServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  wanted = 0,
): Promise<RestartableServer> {
  const port = wanted === 0 ? await freePort() : wanted
  let opened = 0
  let server = createServer()
  const start = async (): Promise<void> => {
    server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
    server.on('connection', () => opened++)
    // Longer than a test: a client that stands still must not write to a connection that is being closed.
    server.keepAliveTimeout = 300_000
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await start()
  return { port, connections: () => opened, stop, start }
}
