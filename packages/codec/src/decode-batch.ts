import { pause } from '@tidings/async'
import { type Batch, Unavailable } from '@tidings/event-store'
import type { DecodeOptions, Decoder } from './decode.ts'
import type { DecodedBatch } from './event-log.ts'

/** The decoded part of a batch: all of it, or what precedes the event that could not be decoded, with the reason. */
type DecodedPart = Readonly<{ part: DecodedBatch | null; failure: Error | null }>

const RETRY_MS = 250

/** Decodes a batch; with a failure it gives the events before it, and the position to continue from. */
export async function decodeBatch(decode: Decoder, batch: Batch, options: DecodeOptions): Promise<DecodedPart> {
  const { events, done, failure } = await decode(batch.events, options)
  if (!failure) return { part: { events, to: batch.to, caughtUp: batch.caughtUp }, failure }
  const last = batch.events[done - 1]
  return { part: last ? { events, to: last.position, caughtUp: false } : null, failure }
}

/**
 * As `decodeBatch`, repeated while the keys' database is unavailable. Null when `signal` aborts first. It does not wait for a master key that
 * this process lacks: a process that has it must get the lease.
 */
export async function decodeBatchWithRetry(
  decode: Decoder,
  batch: Batch,
  { signal, ...options }: DecodeOptions & Readonly<{ signal: AbortSignal }>,
): Promise<DecodedPart | null> {
  while (!signal.aborted) {
    try {
      return await decodeBatch(decode, batch, options)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await pause(RETRY_MS, signal)
    }
  }
  return null
}
