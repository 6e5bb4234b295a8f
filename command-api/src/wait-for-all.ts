import { latestOf, type Position } from '@tidings/event-store'
import type { FastifyReply } from 'fastify'
import type { Dependencies } from './dependencies.ts'
import { waitUntilVisible } from './read-your-writes.ts'

/** Waits until reads show the last of what a request wrote (M2). */
export async function waitForAll(
  deps: Pick<Dependencies, 'readSide'>,
  reply: FastifyReply,
  { positions, projections }: Readonly<{ positions: readonly (Position | null)[]; projections: readonly string[] }>,
): Promise<void> {
  await waitUntilVisible(deps, reply, { position: latestOf(positions), projections })
}
