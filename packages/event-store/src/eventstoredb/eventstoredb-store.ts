import { checkAppend, checkStreamCall } from '../append-rules.ts'
import { type Appended, comparePositions, type EventStore, type Position, START } from '../port.ts'
import { createTail } from '../tail/tail.ts'
import type { WindowLimits } from '../tail/window.ts'
import { appendResult } from './append-result.ts'
import { type AppendTimes, createAppender } from './appender.ts'
import { createAttempts } from './attempts.ts'
import { createConnection } from './connection.ts'
import { createDeletions } from './deletions.ts'
import { emptyAppend } from './empty-append.ts'
import { FEED_TIMES, type FeedTimes, feed } from './feed.ts'
import { createReader, type ReadTimes } from './reader.ts'
import { retryWarnings } from './retry-warnings.ts'
import { setStreamLimits } from './stream-limits.ts'

export type EventStoreDbSettings = Readonly<{
  /** `esdb://…` or `esdb+discover://…`, with user, TLS and keepalive as the client documents them. */
  connectionString: string
  log?: Readonly<{ warn: (fields: object, message: string) => void }>
  /** Of the tail that all subscribers of the process share. */
  window?: Partial<WindowLimits>
  times?: Readonly<{ append?: Partial<AppendTimes>; read?: Partial<ReadTimes>; feed?: Partial<FeedTimes> }>
}>

/** The log on EventStoreDB 21.10 or later. Connects at the first call; outlives restarts and changes of leader. */
export const eventStoreDbStore = ({ connectionString, log, times, window }: EventStoreDbSettings): EventStore => {
  const connection = createConnection(connectionString)
  const reader = createReader(connection, times?.read)
  const attempts = createAttempts(connection)
  const onRetry = retryWarnings((fields) => log?.warn(fields, 'appends to EventStoreDB are repeated'))
  const appender = createAppender({ attempts, onRetry, ...(times?.append && { times: times.append }) })
  const deletions = createDeletions(connection)
  const onError = (error: unknown): void => log?.warn({ err: error }, 'a read from EventStoreDB is repeated')
  const tail = createTail({ readAll: reader.readAll, head: reader.head, onError, ...(window && { window }) })
  const closed = new AbortController()
  let fed: Promise<void> | undefined
  let seen: Position = START

  const see = (position: Position): void => {
    if (comparePositions(position, seen) > 0) seen = position
  }
  const feedTail = (): Promise<void> =>
    feed({
      ...{ connection, tail, head: reader.head, signal: closed.signal, times: { ...FEED_TIMES, ...times?.feed } },
      onDrop: (drop) =>
        log?.warn({ reason: drop.reason, err: drop.error, attempt: drop.attempt }, 'the subscription to EventStoreDB dropped'),
    })

  return {
    append: async (stream, expected, events): Promise<Appended> => {
      const bytes = checkAppend(stream, expected, events)
      if (events.length === 0) return emptyAppend(reader, stream, expected)
      const append = { stream, expected, events, bytes }
      see(tail.end() ?? START)
      const before = seen
      const result = await appendResult(reader, append, await appender.append(append), before)
      see(result.position)
      return result
    },
    readStream: reader.readStream,
    readAll: reader.readAll,
    head: reader.head,
    subscribe: (options) => {
      fed ??= feedTail()
      return tail.subscribe(options)
    },
    deleteStream: async (stream, expected) => {
      checkStreamCall(stream, expected)
      await deletions.deleteStream(stream, expected)
    },
    tombstoneStream: async (stream, expected) => {
      checkStreamCall(stream, expected)
      await deletions.tombstoneStream(stream, expected)
    },
    setStreamLimits: async (stream, limits) => {
      checkStreamCall(stream, 'any')
      await setStreamLimits({ reader, appender }, stream, limits)
    },
    close: async () => {
      closed.abort()
      tail.close()
      appender.close()
      attempts.close()
      reader.close()
      await fed
      await connection.close()
    },
  }
}
