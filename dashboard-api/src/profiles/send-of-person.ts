import { addAbortSignal, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'

/** What is open for longer ends, as where its caller does not read on. */
const MOST_MS = 600_000

/** Sends what is about a person, for ten minutes at most, and not on once `known` aborts. Resolves when all is sent, or its caller reads no more. */
export async function sendOfPerson(
  reply: FastifyReply,
  pieces: AsyncIterable<string> | Iterable<Buffer>,
  known: AbortSignal,
): Promise<FastifyReply> {
  known.throwIfAborted()
  const body = addAbortSignal(AbortSignal.any([known, AbortSignal.timeout(MOST_MS)]), Readable.from(pieces))
  reply.send(body)
  await finished(body).catch(() => undefined)
  return reply
}
