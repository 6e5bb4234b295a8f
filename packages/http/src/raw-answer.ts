import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { errorBody } from './errors/error-body.ts'
import type { Problem } from './errors/problems.ts'

// An `import` of node:http reads all that it exports, and loads the undici of Node for some of it: 0.1 s of CPU and 13 MB of each process.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The error envelope, with a request id, on a connection that Fastify has no reply for; then closes it. */
export function answerRaw(socket: Duplex, problem: Problem): void {
  // Node has taken its own listener off a socket that it hands out.
  socket.on('error', () => socket.destroy())
  const body = errorBody(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
