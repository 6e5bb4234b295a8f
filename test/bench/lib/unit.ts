import { startRawService } from './children.ts'
import { measure } from './sides.ts'

const SECONDS = 2
/** The clock of a process's CPU ticks a hundred times a second. */
const SLOW_SECONDS = 5
/** The first rung of the ladder. */
const LOAD = { path: '/', method: 'GET', headers: {}, connections: 32, seconds: SECONDS, from: 0, of: 1 } as const
const NO_PROCESS = 0

/**
 * What a static answer of a bare Fastify costs here and now, in µs of Node's CPU; null where the machine does not tell. Machines, and hours of a
 * shared one, differ by a factor of two: figures of two runs compare as multiples of this. `rate`: at so many a second, where it costs a multiple of what it
 * costs at full load: the process sleeps and wakes for each.
 */
export async function unitUs(rate?: number): Promise<number | null> {
  const raw = await startRawService()
  try {
    const side = { ...raw, name: 'raw', postgresPid: NO_PROCESS }
    await measure(side, LOAD)
    return (await measure(side, rate === undefined ? LOAD : { ...LOAD, rate, seconds: SLOW_SECONDS })).nodeUs
  } finally {
    await raw.stop()
  }
}
