import type { Readable } from 'node:stream'
import { bodyCutOff, PayloadTooLarge, tooSlow, unavailable } from '../errors/problems.ts'
import { type AfterTimeout, watchRate } from './body-rate.ts'

type Done = (error: Error | null, body: Buffer) => void

/** Bytes. `free` of them are read for anybody, `limit` for a caller whom `admit` lets through; `promised` is what Content-Length says. */
export type ReadBounds = Readonly<{
  free: number
  limit: number
  promised: number
  take: (bytes: number) => boolean
  admit: (done: (error?: Error) => void) => void
  /** Called when reading begins. */
  invite: () => void
  after: AfterTimeout
}>

const NOTHING = Buffer.alloc(0)

/**
 * Reads one body; `take` is asked for every chunk before it is kept. Counting what came, and not what Content-Length promises, keeps slow
 * senders of large promises from using up the budget. `admit` is asked once: before anything of a body that promises more than `free` is
 * read, or when one without a promise has brought so much. Until it answers nothing more is read. `done` is called exactly once.
 */
export function readBody(payload: Readable, bounds: ReadBounds, done: Done): void {
  const body = growingBytes(Math.min(bounds.limit, bounds.promised))
  let admitted = false
  let ended = false
  let stopWatch = (): void => undefined

  const finish = (error: Error | null): void => {
    if (ended) return
    ended = true
    stopWatch()
    payload.off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff)
    if (error !== null) payload.resume()
    done(error, error === null ? body.bytes() : NOTHING)
  }
  const read = (): void => {
    bounds.invite()
    stopWatch = watchRate({ after: bounds.after, received: body.length, onStalled: () => finish(tooSlow()) })
    payload.resume()
  }
  const askFirst = (): void => {
    stopWatch()
    payload.pause()
    bounds.admit((error) => {
      if (ended) return
      if (error !== undefined) return finish(error)
      admitted = true
      read()
    })
  }
  const onData = (chunk: Buffer): void => {
    const length = body.length() + chunk.length
    if (length > bounds.limit) finish(new PayloadTooLarge())
    else if (bounds.take(chunk.length)) {
      body.add(chunk)
      if (!admitted && length > bounds.free) askFirst()
    } else finish(unavailable())
  }
  const onEnd = (): void => finish(null)
  // Only the client ends its body early: no client reads the answer, and it must not be logged or counted as an outage.
  const onCutOff = (): void => finish(bodyCutOff())

  payload.on('data', onData).on('end', onEnd).on('error', onCutOff).on('close', onCutOff)
  if (Number.isFinite(bounds.promised) && bounds.promised > bounds.free) askFirst()
  else read()
}

const LEAST = 4_096

/** Bytes that come in pieces, copied into one buffer that doubles: a body of single bytes costs no object for each. */
type GrowingBytes = Readonly<{ length: () => number; add: (piece: Buffer) => void; bytes: () => Buffer }>

/** `most`: how many there will be at most, by what the sender promised and may send. */
export function growingBytes(most: number): GrowingBytes {
  let buffer: Buffer = NOTHING
  let length = 0
  const grow = (needed: number): void => {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(most, Math.max(LEAST, 2 * buffer.length))))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  return {
    length: () => length,
    add: (piece) => {
      // The usual body is one piece: it is kept as it came.
      if (length === 0) buffer = piece
      else {
        if (length + piece.length > buffer.length) grow(length + piece.length)
        piece.copy(buffer, length)
      }
      length += piece.length
    },
    bytes: () => (buffer.length === length ? buffer : buffer.subarray(0, length)),
  }
}
