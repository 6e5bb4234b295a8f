import { onAbort } from '@tidings/async'
import { threadCount } from '@tidings/async/threads'
import { comparePositions, type Position, START } from '@tidings/event-store'
import pLimit from 'p-limit'
import { type Building, IMAGES, PAGE } from '../build.ts'
import type { RebuildOptions } from '../options.ts'
import { RebuildRefused } from '../refused.ts'
import type { RebuildThreads, RunningPart } from './part-thread.ts'
import type { PartBuilt, PartReached } from './thread-messages.ts'
import { readAttempt } from './writers.ts'

/**
 * To start two threads took 3.4 s of CPU on a busy machine, as much as 75 000 events in one thread there: from about twice as many on, two
 * threads are through earlier.
 */
const LEAST_EVENTS = 200_000

/** Of rows that are not written yet, in all threads: half of what one thread alone may keep, as each has a heap with pages and keys beside them. */
const AHEAD_BYTES = 80 * 1_048_576

/** A process that starts with a new version of several projections builds them one after the other, so that their memory does not add up. */
const oneAtATime = pLimit(1)

/**
 * Builds the log as it is now in threads, each a part of the streams, where the projection can be divided so and the log is long enough. The
 * building goes on behind it. Threads that still run when one fails are ended.
 */
export async function buildInThreads(
  options: RebuildOptions,
  building: Building,
  onProgress: (reached: PartReached) => void,
): Promise<void> {
  const { threads, projection, log } = options
  const count = threads?.count ?? threadCount()
  if (threads === undefined || count < 2 || !projection.byStream) return
  await oneAtATime(async () => {
    const to = await log.head()
    if (to.commit < BigInt(threads.leastEvents ?? LEAST_EVENTS)) return
    const parts = await buildParts({ ...options, threads: { ...threads, count } }, building, { to, onProgress })
    for (const { position, events, parked } of parts) {
      if (comparePositions(position, to) !== 0)
        throw new RebuildRefused(
          `The log ends before position ${to.commit}, which it had reached: it was set back. Rebuild the projection.`,
        )
      building.events += events
      building.parked.push(...parked)
      for (const { event } of parked) building.parkedStreams.add(event.stream)
    }
    building.position = to
  })
}

type InThreads = RebuildOptions & Readonly<{ threads: RebuildThreads & Readonly<{ count: number }> }>
type Aim = Readonly<{ to: Position; onProgress: (reached: PartReached) => void }>

const buildParts = async (options: InThreads, { client }: Building, aim: Aim): Promise<readonly PartBuilt[]> => {
  const { projection, signal } = options
  const attempt = await readAttempt(client, projection.name)
  const running = startParts(options, { ...aim, attempt: attempt ?? '' })
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => undefined) // raced below
  const removeAbort = signal === undefined ? () => undefined : onAbort(signal, () => stopped.reject(signal.reason))
  // Who has lost the session has lost the right to build: another process may begin.
  client.once('error', stopped.reject)
  try {
    return await Promise.race([stopped.promise, Promise.all(running.map(({ built }) => built))])
  } finally {
    removeAbort()
    client.off('error', stopped.reject)
    await Promise.all(running.map(({ end }) => end()))
  }
}

const startParts = ({ threads, projection, page = PAGE }: InThreads, { to, onProgress, attempt }: Aim & Readonly<{ attempt: string }>) => {
  const { count: of, start } = threads
  const reached: PartReached[] = Array.from({ length: of }, () => ({ position: START, events: 0 }))
  const aheadBytes = Math.floor(Math.min(IMAGES.aheadBytes, AHEAD_BYTES) / of)
  const onReached = (index: number) => (news: PartReached) => {
    reached[index] = news
    const [first] = reached.map(({ position }) => position).toSorted(comparePositions)
    onProgress({ position: first ?? START, events: reached.reduce((sum, { events }) => sum + events, 0) })
  }
  return Array.from({ length: of }, (_, index): RunningPart => {
    const order = { projection: projection.name, version: projection.version, part: { index, of, to, aheadBytes }, page, attempt }
    return start(order, onReached(index))
  })
}
