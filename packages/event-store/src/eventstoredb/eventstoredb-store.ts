import { checkAppend, checkStreamCall } from '../append-rules.ts'
import { emptyAppend } from '../empty-append.ts'
import { LogWentBack, Unavailable } from '../errors.ts'
import { createLastSeen, type SeenPosition } from '../last-seen.ts'
import {
  type Appended,
  type Batch,
  comparePositions,
  type EventStore,
  type ExpectedRevision,
  type Position,
  START,
  type StreamLimits,
  type SubscribeOptions,
} from '../port.ts'
import type { Drop } from '../supervisor.ts'
import { createTail } from '../tail/tail.ts'
import type { WindowLimits } from '../tail/window.ts'
import { appendResult } from './append-result.ts'
import { createAppendStreams } from './append-streams.ts'
import { type Appender, type AppendTimes, createAppender } from './appender.ts'
import { createAttempt } from './attempts.ts'
import { createConnection } from './connection.ts'
import { parseConnectionString } from './connection-string.ts'
import { createDeletions } from './deletions.ts'
import { FEED_TIMES, type FeedTimes, feed } from './feed.ts'
import { createLogCheck } from './log-check.ts'
import { READ_TIMES, type ReadTimes, type ReadWithRetries, readWithRetries } from './read-with-retries.ts'
import { createReader, type Reader, readAhead } from './reader.ts'

export type EventStoreDbSettings = Readonly<{
  /** `esdb://…` or `esdb+discover://…`, with user, TLS and keepalive as the client documents them. */
  connectionString: string
  log?: Readonly<{ warn: (fields: object, message: string) => void }>
  /** Limits of the tail that all subscribers of the process share. */
  window?: Partial<WindowLimits>
  /** The position up to which the database has seen the log. */
  seen?: SeenPosition
  times?: Readonly<{ append?: Partial<AppendTimes>; read?: Partial<ReadTimes>; feed?: Partial<FeedTimes> }>
}>

export type EventStoreDb = EventStore & Readonly<{ lastSeen: () => SeenPosition }>

/** The log on EventStoreDB 21.10 or later. Connects at the first call; outlives restarts and changes of leader. */
export function eventStoreDbStore(settings: EventStoreDbSettings): EventStoreDb {
  const parts = openParts(settings)
  const { reader, appender, check, deletions, lastSeen } = parts
  const subscriptions = subscriptionsOf(settings, parts)
  // This is not `lastSeen`, which a database may have begun: a repetition is known by what this process saw.
  let seen: Position = START
  const see = (position: Position): void => {
    if (comparePositions(position, seen) > 0) seen = position
  }
  return {
    append: async (stream, expected, events): Promise<Appended> => {
      checkAppend(stream, expected, events)
      // EventStoreDB would answer an empty append with a position of 0.
      if (events.length === 0) return emptyAppend(stream, expected, await reader.readStream(stream, { direction: 'backwards', limit: 1 }))
      const append = { stream, expected, events }
      see(parts.tail.end() ?? START)
      const before = seen
      const result = await appendResult(reader, append, await appender.append(append), before)
      see(result.position)
      lastSeen.reach(result.position)
      return result
    },
    readStream: reader.readStream,
    readAll: parts.bulk.readAll,
    head: reader.head,
    confirm: check.confirm,
    lastSeen: lastSeen.current,
    subscribe: subscriptions.subscribe,
    deleteStream: deletions.deleteStream,
    tombstoneStream: deletions.tombstoneStream,
    setStreamLimits: async (stream, limits) => {
      checkStreamCall(stream, 'any')
      await setStreamLimits({ reader, appender }, stream, limits)
    },
    close: async () => {
      for (const part of [appender, parts.streams]) part.close()
      parts.closed.abort()
      await subscriptions.close()
      parts.bulk.close()
      await parts.connection.close()
    },
  }
}

type EventStoreDbParts = ReturnType<typeof openParts>

const openParts = ({ connectionString, log, times, window, seen }: EventStoreDbSettings) => {
  const connection = createConnection(connectionString)
  const closed = new AbortController()
  const lastSeen = createLastSeen({ seen, log })
  const asking = { connection, lastSeen, closed: closed.signal, times: { ...READ_TIMES, ...times?.read } }
  const check = createLogCheck(asking)
  const reader = createReader({ ...asking, check })
  const unmatched = createThrottledReport((fields) => log?.warn(fields, 'EventStoreDB answered appends that had ended'))
  const streams = createAppendStreams({ connection, check, onUnmatched: () => unmatched('given up earlier, or never asked') })
  const onRetry = createThrottledReport((fields) => log?.warn(fields, 'appends to EventStoreDB are repeated'))
  const appender = createAppender({ attempt: createAttempt(connection, streams), onRetry, ...(times?.append && { times: times.append }) })
  const onError = (error: unknown): void => {
    if (!(error instanceof LogWentBack)) log?.warn({ err: error }, 'a read from EventStoreDB is repeated')
  }
  const tail = createTail({ readAll: reader.readAll, head: reader.head, onError, ...(window && { window }) })
  const onFollower = (error: unknown): void => {
    if (!(error instanceof LogWentBack))
      log?.warn({ err: error }, 'a follower of EventStoreDB cannot be read: the leader answers in its place')
  }
  const bulk = bulkReads({ ...asking, connectionString, reader, confirm: check.confirm, onError: onFollower })
  return { connection, closed, lastSeen, check, reader, bulk, streams, appender, tail, deletions: createDeletions(connection, check) }
}

type BulkReads = Readonly<{
  connectionString: string
  reader: Reader
  confirm: () => Promise<void>
  closed: AbortSignal
  times: ReadTimes
  onError: (error: unknown) => void
}>

/** Subscriptions and decisions read on the leader, and what goes through the log page by page on a follower, where there is a cluster. */
const bulkReads = ({ connectionString, reader, confirm, closed, times, onError }: BulkReads) => {
  const { hosts, isDiscovered } = parseConnectionString(connectionString)
  if (!isDiscovered && hosts.length === 1) return { readAll: reader.readAll, close: (): void => undefined }
  const connection = createConnection(connectionString, 'follower')
  const read = readWithRetries({ connection, confirm, closed, times: { ...times, deadlineMs: 0 } })
  return { readAll: followerReads({ read, leader: reader, onError }), close: connection.close }
}

/** The feed starts with the first subscriber and stays: a process that follows the log once follows it always. */
const subscriptionsOf = ({ log, times }: EventStoreDbSettings, { reader, ...parts }: EventStoreDbParts) => {
  const { tail } = parts
  const closed = new AbortController()
  const onDrop = ({ reason, error, attempt }: Drop): void => {
    if (!(error instanceof LogWentBack)) log?.warn({ reason, err: error, attempt }, 'the subscription to EventStoreDB dropped')
  }
  const { head, learnHead } = reader
  let fed: Promise<void> | undefined
  const subscribe = (options: SubscribeOptions): AsyncIterable<Batch> => {
    fed ??= feed({ ...parts, head, learnHead, signal: closed.signal, times: { ...FEED_TIMES, ...times?.feed }, onDrop })
    return tail.subscribe(options)
  }
  const close = async (): Promise<void> => {
    closed.abort()
    tail.close()
    await fed
  }
  return { subscribe, close }
}

const ATTEMPTS = 5

/** Writes the stream's metadata event at its revision, keeping other entries; starts again after a concurrent write. */
async function setStreamLimits(
  parts: Readonly<{ reader: Reader; appender: Appender }>,
  stream: string,
  limits: StreamLimits,
): Promise<void> {
  const metastream = `$$${stream}`
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const last = await parts.reader.lastOf(metastream)
    const data = JSON.stringify({ ...keep(last?.event.data ?? '{}'), ...metadataOf(limits) })
    const expected: ExpectedRevision = last?.event.revision ?? 'no_stream'
    const event = { id: crypto.randomUUID(), type: '$metadata', data, meta: '' }
    const outcome = await parts.appender.append({ stream: metastream, expected, events: [event] })
    if (outcome.kind === 'written') return
    if (outcome.kind !== 'wrong_revision') throw new Unavailable(`EventStoreDB refused the limits of ${stream}`)
  }
  throw new Unavailable(`the limits of ${stream} were changed ${ATTEMPTS} times by others meanwhile`)
}

/** A soft-deleted stream's `$tb` is the largest int64, which JSON.parse rounds; left out, the server sets it to hide what it hid. */
const keep = (json: string): Record<string, unknown> => {
  const metadata: Record<string, unknown> = JSON.parse(json)
  const { $tb, ...rest } = metadata
  return typeof $tb === 'number' && Number.isSafeInteger($tb) ? metadata : rest
}

const metadataOf = ({ truncateBefore, maxCount, maxAgeSeconds }: StreamLimits): Record<string, number> => ({
  ...(truncateBefore !== undefined && { $tb: truncateBefore }),
  ...(maxCount !== undefined && { $maxCount: maxCount }),
  ...(maxAgeSeconds !== undefined && { $maxAge: maxAgeSeconds }),
})

const EVERY_MS = 1_000

type Report = (fields: Readonly<{ reason: string; times: number }>) => void

/** Reports the first call at once, and then at most once a second with the number of calls, so that an outage does not flood the log lines. */
export function createThrottledReport(report: Report): (reason: string) => void {
  let [times, reportedAt] = [0, Number.NEGATIVE_INFINITY]
  return (reason) => {
    times += 1
    const now = performance.now()
    if (now - reportedAt < EVERY_MS) return
    report({ reason, times })
    times = 0
    reportedAt = now
  }
}

/** A follower that failed is asked again after this; the client of the next one finds it by gossip, which takes a while to notice who is away. */
const LEFT_OUT_MS = 30_000

type FollowerReads = Readonly<{ read: ReadWithRetries; leader: Pick<Reader, 'readAll'>; onError: (error: unknown) => void }>

/**
 * Reads the log on a node that does not lead, so that exports, checks and rebuilds take nothing from those who write. It answers what the leader
 * would: a follower may lack the newest events, so only the leader says where the log ends. `read` makes one try; after a failure the leader answers.
 */
function followerReads({ read, leader, onError }: FollowerReads): Reader['readAll'] {
  let leftOutUntil = 0
  const page = async (...[after, limit]: Parameters<Reader['readAll']>): Promise<Batch | null> => {
    try {
      return await readAhead(read, after, limit)
    } catch (error) {
      leftOutUntil = performance.now() + LEFT_OUT_MS
      onError(error)
      return null
    }
  }
  return async (after, limit) => {
    const found = performance.now() < leftOutUntil ? null : await page(after, limit)
    if (found === null || found.events.length === 0) return await leader.readAll(after, limit)
    const room = limit - found.events.length
    if (!found.caughtUp || room <= 0) return { ...found, caughtUp: false }
    const rest = await leader.readAll(found.to, room)
    return { ...rest, events: [...found.events, ...rest.events] }
  }
}
