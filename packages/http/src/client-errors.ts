import type { Socket } from 'node:net'
import { answerRaw } from './raw-answer.ts'

type ClientError = Error & Readonly<{ code?: string }>

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Request headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** Answers what Node could not read as HTTP: 400 in the error envelope, with a request id, and the connection closed. */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  answerRaw(socket, { status: 400, message: messages[error.code ?? ''] ?? 'The request is not valid HTTP' })
}
