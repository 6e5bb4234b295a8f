import { parentPort, workerData } from 'node:worker_threads'
import type { EventLog } from '@tidings/codec'
import type { Pool } from 'pg'
import { judge } from '../../follow/failure.ts'
import type { AnyProjection } from '../../projection.ts'
import { buildPart } from './build-part.ts'
import type { PartBuilt, PartOrder, PartReached, ThreadData, ThreadMessage } from './thread-messages.ts'

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
