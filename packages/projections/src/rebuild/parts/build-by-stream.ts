import { onAbort } from '@tidings/async'
import { threadCount } from '@tidings/async/threads'
import { comparePositions, type Position, START, type StreamRange } from '@tidings/event-store'
import pLimit from 'p-limit'
import { type Building, build, IMAGES, PAGE, startBuilding } from '../build.ts'
import type { RebuildOptions } from '../options.ts'
import type { RebuildThreads, RunningPart } from './part-thread.ts'
import type { PartBuilt, PartReached } from './thread-messages.ts'
import { readAttempt } from './writers.ts'

/**
 * Starting two threads took 3.4 s of CPU on a busy machine, as much as 75 000 events take in one thread there. From about twice as many events
 * on, two threads end earlier.
 */
const LEAST_EVENTS = 200_000

/** Memory for rows that are not written yet, in all threads: half of what one thread alone may keep, as each has a heap with pages and keys beside them. */
const AHEAD_BYTES = 80 * 1_048_576

/** So many ranges let threads end at about the same time and show the progress; a short log has fewer. */
const RANGES = 64
const EVENTS_A_RANGE = 4_000n

/** A process that starts with a new version of several projections builds them one after the other, so that their memory does not add up. */
const oneAtATime = pLimit(1)

type Aim = Readonly<{ ranges: readonly StreamRange[]; upTo: Position; onProgress: (reached: PartReached) => void }>

/**
 * Builds the log as it is now, stream by stream, where the projection and the store allow it: each row is written once, when its stream has been
 * read. A long log is built in several threads. The build continues after that position. If one thread fails, the others are ended.
 */
export async function buildByStream(
  options: RebuildOptions,
  building: Building,
  onProgress: (reached: PartReached) => void,
): Promise<void> {
  const { projection, log, threads } = options
  if (projection.byStream === null || log.byStream === undefined) return
  const upTo = await log.head()
  if (comparePositions(upTo, START) === 0) return
  const ranges = await log.byStream.ranges(projection.byStream, Math.min(RANGES, 1 + Number(upTo.commit / EVENTS_A_RANGE)))
  const aim = { ranges, upTo, onProgress }
  const count = threads?.count ?? threadCount()
  const isLong = upTo.commit >= BigInt(threads?.leastEvents ?? LEAST_EVENTS)
  const parts =
    threads === undefined || count < 2 || !isLong
      ? [await buildHere(options, building, aim)]
      : await oneAtATime(() => buildInThreads({ ...options, threads: { ...threads, count } }, building, aim))
  for (const { events, parked } of parts) {
    building.events += events
    // One by one: as the arguments of one call, some 120 000 overflow the stack.
    for (const one of parked) {
      building.parked.push(one)
      building.parkedStreams.add(one.event.stream)
    }
  }
  building.position = upTo
}

const buildHere = async (options: RebuildOptions, { client }: Building, { ranges, upTo, onProgress }: Aim): Promise<PartBuilt> => {
  const part = { ranges, upTo, aheadBytes: IMAGES.aheadBytes }
  const here = startBuilding(options, { client, carefully: false, part })
  await build(here, () => onProgress({ position: here.position, events: here.events }))
  const { position, events, parked } = here
  return { position, events, parked }
}

type InThreads = RebuildOptions & Readonly<{ threads: RebuildThreads & Readonly<{ count: number }> }>

const buildInThreads = async (options: InThreads, { client }: Building, aim: Aim): Promise<readonly PartBuilt[]> => {
  const { projection, signal } = options
  const attempt = await readAttempt(client, projection.name)
  const running = startParts(options, { ...aim, attempt: attempt ?? '' })
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => undefined) // raced below
  const removeAbort = signal === undefined ? () => undefined : onAbort(signal, () => stopped.reject(signal.reason))
  // Without its session this process must not build: another process may begin.
  client.once('error', stopped.reject)
  try {
    return await Promise.race([stopped.promise, Promise.all(running.map(({ built }) => built))])
  } finally {
    removeAbort()
    client.off('error', stopped.reject)
    await Promise.all(running.map(({ end }) => end()))
  }
}

const startParts = ({ threads, projection, page = PAGE }: InThreads, aim: Aim & Readonly<{ attempt: string }>): readonly RunningPart[] => {
  const { count: of, start } = threads
  const { ranges, upTo, onProgress, attempt } = aim
  const length = Math.min(of, ranges.length)
  const reached: PartReached[] = Array.from({ length }, () => ({ position: START, events: 0 }))
  const aheadBytes = Math.floor(Math.min(IMAGES.aheadBytes, AHEAD_BYTES) / of)
  const onReached = (index: number) => (news: PartReached) => {
    reached[index] = news
    const [first] = reached.map(({ position }) => position).toSorted(comparePositions)
    onProgress({ position: first ?? START, events: reached.reduce((sum, { events }) => sum + events, 0) })
  }
  return Array.from({ length }, (_, index): RunningPart => {
    const part = { ranges: ranges.filter((_range, n) => n % of === index), upTo, aheadBytes }
    return start({ projection: projection.name, version: projection.version, part, of, page, attempt }, onReached(index))
  })
}
