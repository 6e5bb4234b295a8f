import type { Position } from '@tidings/event-store'
import type { ReadYourWrites } from '@tidings/projections'
import type { FastifyReply } from 'fastify'

/** Waits until the named projections show what was appended, at most 2 s; else the answer says so (M2). */
export async function waitUntilVisible(
  { readSide }: Readonly<{ readSide: ReadYourWrites }>,
  reply: FastifyReply,
  { position, projections }: Readonly<{ position: Position | null; projections: readonly string[] }>,
): Promise<'visible' | 'pending'> {
  if (position === null) return 'visible'
  const outcome = await readSide.wait(position, projections)
  if (outcome === 'pending') reply.header('X-Consistency', 'pending')
  return outcome
}
