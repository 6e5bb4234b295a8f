import type { FastifyRequest } from 'fastify'

/** Whether the client has gone and its answer is read no more. A request that was read to its end is destroyed itself: its socket says it. */
export function hasLeft({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  return raw.socket.destroyed
}
