import { waitUntilVisible } from '@tidings/administration'
import { comparePositions, type Position } from '@tidings/event-store'
import type { ReadYourWrites } from '@tidings/projections'
import type { FastifyReply } from 'fastify'

/** Waits until reads show the last of what a request wrote (M2). */
export async function waitForAll(
  deps: Readonly<{ readSide: ReadYourWrites }>,
  reply: FastifyReply,
  { positions, projections }: Readonly<{ positions: readonly (Position | null)[]; projections: readonly string[] }>,
): Promise<void> {
  const written = positions.filter((position) => position !== null)
  const last = written.toSorted(comparePositions).at(-1) ?? null
  await waitUntilVisible(deps, reply, { position: last, projections })
}
