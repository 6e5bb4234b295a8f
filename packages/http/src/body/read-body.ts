import type { Readable } from 'node:stream'
import { PayloadTooLarge, unavailable } from '../errors/problems.ts'

type Done = (error: Error | null, body: Buffer) => void

const NOTHING = Buffer.alloc(0)

/**
 * Reads at most `limit` bytes; `take` is asked for every chunk before it is kept. Counting what came, and not what Content-Length
 * promises, keeps slow senders of large promises from using up the budget. `done` is called exactly once.
 */
export const readBody = (payload: Readable, bounds: Readonly<{ limit: number; take: (bytes: number) => boolean }>, done: Done): void => {
  const chunks: Buffer[] = []
  let length = 0
  const finish = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError)
    if (error !== null) return done(error, NOTHING)
    done(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
  }
  const onData = (chunk: Buffer) => {
    length += chunk.length
    if (length > bounds.limit) return finish(new PayloadTooLarge())
    if (!bounds.take(chunk.length)) return finish(unavailable())
    chunks.push(chunk)
  }
  const onEnd = () => finish(null)
  const onError = (error: Error) => finish(error)
  payload.on('data', onData).on('end', onEnd).on('error', onError)
}
