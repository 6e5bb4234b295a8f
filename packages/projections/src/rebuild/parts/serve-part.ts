import { parentPort, workerData } from 'node:worker_threads'
import type { EventLog } from '@tidings/codec'
import type { Pool } from 'pg'
import { judge } from '../../follow/failure.ts'
import type { AnyProjection } from '../../projection.ts'
import { build, startBuilding } from '../build.ts'
import { RebuildRefused } from '../refused.ts'
import type { PartBuilt, PartOrder, PartReached, ThreadData, ThreadMessage } from './thread-messages.ts'
import { becomeWriter } from './writers.ts'

/** What a thread works with, on connections of its own. */
type PartTools = Readonly<{ projection: AnyProjection; log: EventLog; pool: Pool; close: () => Promise<void> }>

/** How often the other side hears how far the part is. */
const NEWS_MS = 100

/** The module of a rebuild's thread calls it, once: builds the part that the thread was started for. `open` gets the thread's source, and the projection's name. */
export async function servePart(open: (source: unknown, projection: string) => Promise<PartTools>): Promise<void> {
  const { source, order } = workerData as ThreadData
  const say = (message: ThreadMessage): void => parentPort?.postMessage(message)
  try {
    const tools = await open(source, order.projection)
    // Closed before the other side hears of it: that ends the thread.
    const built = await buildKnown(tools, order, say).finally(tools.close)
    say({ built })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    say({ failed: { name, message, verdict: judge(error) } })
  }
}

const buildKnown = async (tools: PartTools, order: PartOrder, say: (message: ThreadMessage) => void): Promise<PartBuilt> => {
  const { version } = tools.projection
  if (version !== order.version) throw new Error(`this thread knows version ${version} of ${order.projection}, not ${order.version}`)
  return await buildPart({ ...tools, onPage: nowAndThen((reached) => say({ reached })) }, order)
}

const nowAndThen = (say: (reached: PartReached) => void): ((reached: PartReached) => void) => {
  let said = performance.now()
  return (reached) => {
    const now = performance.now()
    if (now - said < NEWS_MS) return
    said = now
    say(reached)
  }
}

type PartParts = Readonly<{ projection: AnyProjection; log: EventLog; pool: Pool; onPage: (reached: PartReached) => void }>

/** Writes a part of the streams to the next tables, which another session has made and keeps. What its folds refuse is parked. */
export async function buildPart({ projection, log, pool, onPage }: PartParts, { attempt, part, page }: PartOrder): Promise<PartBuilt> {
  const client = await pool.connect()
  try {
    await client.query('set synchronous_commit = off')
    if ((await becomeWriter(client, projection.name)) !== attempt)
      throw new RebuildRefused(`The rebuild of ${projection.name} that this thread was started for is over.`)
    const building = startBuilding({ projection, log, pool, page }, { client, carefully: false, part })
    await build(building, () => onPage({ position: building.position, events: building.events }))
    const { position, events, parked } = building
    return { position, events, parked }
  } finally {
    client.release(true)
  }
}
