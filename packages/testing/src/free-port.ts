import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below those that the system hands out (from 32768 on Linux): no connection and no `listen(0)` of anybody takes such a port before its
 * process listens, or between a kill and the restart; a client that asks for it in between does not reach itself. Each worker of a run has a
 * range of its own, and so has the process that started them.
 */
const RANGE = 3_000
const FIRST = 12_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 6) * RANGE
let taken = Math.floor(Math.random() * RANGE)

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer().listen(port)
  const listens = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  if (listens) await new Promise((resolve) => probe.close(resolve))
  return listens
}

/** A port that is free, and that this process names once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (taken++ % RANGE)
    if (await isFree(port)) return port
  }
}
