import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { errorBody } from './errors/error-body.ts'

type ClientError = Error & Readonly<{ code?: string }>

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Request headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** Answers what Node could not read as HTTP: 400 in the error envelope, with a request id, and the connection closed. */
export const answerClientError = (error: ClientError, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const body = errorBody({ status: 400, message: messages[error.code ?? ''] ?? 'The request is not valid HTTP' })
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
