import type { Socket } from 'node:net'
import type { Problem } from './errors/problems.ts'
import { answerRaw } from './raw-answer.ts'

type ClientError = Error & Readonly<{ code?: string }>

export const NOT_HTTP: Problem = { status: 400, message: 'The request is not valid HTTP' }

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
  const message = messages[error.code ?? '']
  answerRaw(socket, message === undefined ? NOT_HTTP : { status: 400, message })
}
