import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
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
  const unanswered = new WeakMap<Socket, { requests: number }>()
  const countOf = (socket: Socket): { requests: number } => {
    const known = unanswered.get(socket)
    if (known !== undefined) return known
    const count = { requests: 0 }
    unanswered.set(socket, count)
    return count
  }
  // One function for all requests: a closure for each, and the wrapper that \`once\` makes, cost more than the count.
  function answered(this: ServerResponse<IncomingMessage>): void {
    countOf(this.req.socket).requests--
  }
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { socket } = request
    // What else had arrived before the connection was closed.
    if (socket.destroyed) return
    const count = countOf(socket)
    if (count.requests === MAX_UNANSWERED) {
      socket.destroy()
      return
    }
    count.requests++
    response.on('close', answered)
    serve(request, response)
  })
}
