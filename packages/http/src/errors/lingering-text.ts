import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

const LINGER_MS = 2_000
const LINGER_BYTES = 16 * 1024 * 1024

/**
 * A text answer whose connection closes only when the request's body has come in, or after 2 s or 16 MiB of it, whichever is first.
 * Closing a socket with unread bytes makes the kernel send RST, and the client, still uploading, would never see the answer.
 */
export function lingeringText(text: string, request: IncomingMessage): Readable {
  const answer = new Readable({ read: () => undefined })
  answer.push(text)
  if (request.complete || request.destroyed) {
    answer.push(null)
    return answer
  }
  let seen = 0
  const end = (): void => {
    clearTimeout(timer)
    request.off('data', count).off('end', end).off('close', end)
    answer.push(null)
  }
  const count = (chunk: Buffer): void => {
    seen += chunk.length
    if (seen > LINGER_BYTES) end()
  }
  const timer = setTimeout(end, LINGER_MS)
  request.on('data', count).on('end', end).on('close', end)
  request.resume()
  return answer
}
