import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Browsers and proxies send one request after the other; a client that pipelines sends a few at once. */
const MAX_UNANSWERED = 16

/**
 * Closes a connection that has more than 16 requests without an answer. Node parses whatever has arrived, a thousand short requests in one
 * go, before anybody else has a turn, and what they wait in costs more with each: five such connections stopped everybody for seconds.
 */
export function boundPipelines({ server }: FastifyInstance): void {
  const [serve] = server.listeners('request') as RequestListener[]
  if (serve === undefined) throw new Error('the server answers no requests')
  const unanswered = new WeakMap<Socket, number>()
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { socket } = request
    // What else had arrived before the connection was closed.
    if (socket.destroyed) return
    const open = (unanswered.get(socket) ?? 0) + 1
    if (open > MAX_UNANSWERED) {
      socket.destroy()
      return
    }
    unanswered.set(socket, open)
    response.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1))
    serve(request, response)
  })
}
