import { createBatchLoader } from '@tidings/async'
import type pg from 'pg'
import type { Pool } from 'pg'
import { checkAppend, checkStreamCall, checkTogether } from '../append-rules.ts'
import { emptyAppend } from '../empty-append.ts'
import { EventIdConflict, type EventStoreError, LogWentBack, StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import { createLastSeen, type LastSeen, type SeenPosition } from '../last-seen.ts'
import {
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
  START,
  type StreamLimits,
  type StreamRange,
} from '../port.ts'
import { createTail } from '../tail/tail.ts'
import type { WindowLimits } from '../tail/window.ts'
import { APPEND_SESSION, appendCall, expectedCode, type Group, type Verdict } from './append-call.ts'
import { PageBuffers } from './copy-page.ts'
import { Feed } from './feed.ts'
import { GroupCommit } from './group-commit.ts'
import { logReads } from './read.ts'
import { readByStream } from './read-by-stream.ts'
import { readBytes } from './read-bytes.ts'
import { streamReader } from './read-streams.ts'
import { isoOf, RAW } from './rows.ts'
import { openSession, type Session } from './session.ts'

export type PostgresEventStoreOptions = Readonly<{
  /** The pool of reads. Appends and the tail each open a connection of their own with its settings. Migrated (`es` schema). */
  pool: pg.Pool
  log?: Readonly<{ warn: (fields: Record<string, unknown>, message: string) => void }>
  /** How long an append may wait for its answer, sending again after a lost connection included. Default 6 000 ms. */
  appendDeadlineMs?: number
  /** Appends that may wait in this process; the next is refused with `Unavailable`. Default 10 000. */
  maxQueued?: number
  /** How often the tail reads the log without a notification; also the interval of heartbeats. Default 800 ms, and at most that: what follows the log counts as caught up for a second. */
  pollMs?: number
  window?: Partial<WindowLimits>
  /** The position up to which the database has seen the log. */
  seen?: SeenPosition
}>

/** This is longer than the server's own limits (2.5 s a statement), so that a call is given up only if the server is silent. */
const CALL_TIMEOUT_MS = 3_000
/** Announcements and appends come in between under load: a read that is later than the 200 ms left only costs a look at Postgres. */
const LONGEST_POLL_MS = 800
const TAIL_SESSION = `listen es_appended; set statement_timeout = '2500ms'`

/** The log in Postgres: group commit under one lock, dense positions, one tail for all subscribers. */
export function postgresEventStore(options: PostgresEventStoreOptions): Required<EventStore> {
  const { pool } = options
  const { appends, commits, feed, lastSeen, listening, reads, tail } = openParts(options)
  const readStream = streamReader(pool, lastSeen)
  const buffers = new PageBuffers()
  // Every projection of a process asks at the same moment how far it is behind.
  const heads = createBatchLoader({ maxKeys: 1, load: () => reads.head(pool), pick: (position: Position, _: 'head') => position })
  const head = () => heads('head')
  const confirm = async (): Promise<void> => {
    if (!feed.isConnected) await head()
  }
  return {
    append: async (stream, expected, events): Promise<Appended> => {
      const bytes = checkAppend(stream, expected, events)
      if (events.length === 0) return emptyAppend(stream, expected, await readStream(stream, { direction: 'backwards', limit: 1 }))
      const [verdict] = await commits.append([{ stream, expected, events }], bytes)
      return appendedOf(stream, verdict!)
    },
    appendTogether: async (appends) => togetherOf(appends, await commits.append(appends, checkTogether(appends))),
    readStream,
    readAll: (after, limit) => reads.readAll(pool, after, limit),
    readMatching: (after, limit, match) => reads.readMatching(pool, after, { limit, match }),
    readBytes: (after, limit, match) => readBytes({ pool, lastSeen, buffers }, after === 'start' ? START : after, { limit, match }),
    byStream: {
      ranges: (category, count) => streamRanges(pool, category, count),
      read: (range, after, limit, match) => readByStream({ db: pool, lastSeen }, { range, after, limit, match }),
    },
    advance: ({ commit }, events) => ({ commit: (commit < 0n ? 0n : commit) + BigInt(events), prepare: 0n }),
    head,
    confirm,
    subscribe: (subscription) => {
      feed.start()
      return tail.subscribe(subscription)
    },
    deleteStream: async (stream, expected) => {
      checkStreamCall(stream, expected)
      await head()
      await deleteStream(pool, stream, expected, false)
    },
    tombstoneStream: async (stream, expected) => {
      checkStreamCall(stream, expected)
      await head()
      await deleteStream(pool, stream, expected, true)
    },
    setStreamLimits: async (stream, limits) => {
      checkStreamCall(stream, 'any')
      await head()
      await setStreamLimits(pool, stream, limits)
    },
    close: async () => {
      await commits.close()
      tail.close()
      await Promise.all([feed.close(), appends.close(), listening.close()])
    },
  }
}

const openParts = (options: PostgresEventStoreOptions) => {
  const { pool, log, window } = options
  const warn = (message: string) => (error: unknown) => log?.warn({ err: error }, message)
  const appends = openSession({ pool, name: 'tidings-append', setup: APPEND_SESSION, callTimeoutMs: CALL_TIMEOUT_MS })
  const lastSeen = createLastSeen({ seen: options.seen, log })
  const reads = logReads(lastSeen)
  const onNotification = (payload: string): void => feed.announce(positionIn(payload))
  const onLost = (): void => feed.lost()
  const listening = openSession({ pool, name: 'tidings-tail', setup: TAIL_SESSION, callTimeoutMs: CALL_TIMEOUT_MS, onNotification, onLost })
  const onReadError = warn('a subscriber could not read the event log; it tries again')
  const tail = createTail({
    readAll: (after, limit) => reads.readAll(pool, after, limit),
    head: () => reads.head(pool),
    onError: (error) => !(error instanceof LogWentBack) && onReadError(error),
    ...(window && { window }),
  })
  const commits: GroupCommit = new GroupCommit({
    send: (batch) => sendOn(appends, batch, lastSeen),
    isRefusal,
    isFinal: (error) => error instanceof LogWentBack,
    // The subscribers of this process get the events before the append resolves: a query right afterwards finds them.
    onCommitted: (batch, verdicts) => {
      const events = recorded(batch.flat(), verdicts.flat())
      lastSeen.see(events.at(-1))
      if (feed.started) feed.appended(events)
    },
    onUnknown: warn('the outcome of a batch of appends is unknown; it is sent again'),
    deadlineMs: options.appendDeadlineMs ?? 6_000,
    maxQueued: options.maxQueued ?? 10_000,
  })
  const feed: Feed = new Feed({
    tail,
    session: listening,
    reads,
    pollMs: Math.min(options.pollMs ?? LONGEST_POLL_MS, LONGEST_POLL_MS),
    appending: () => commits.busy,
    onError: warn('the tail of the event log lost its connection; it opens another'),
  })
  return { appends, commits, feed, lastSeen, listening, reads, tail }
}

const sendOn = async (session: Session, batch: readonly Group[], lastSeen: LastSeen): Promise<readonly (readonly Verdict[])[]> => {
  const seen = lastSeen.current()
  const verdicts = await send(session, batch, seen)
  if (verdicts === null) throw lastSeen.missing(seen)
  lastSeen.confirmed()
  return verdicts
}

const send = async (session: Session, batch: readonly Group[], seen: SeenPosition): ReturnType<typeof appendCall> => {
  try {
    return await appendCall(await session.client(), batch, seen)
  } catch (error) {
    if (!isRefusal(error)) session.discard()
    throw error
  }
}

/** Data, integrity and program-limit errors (classes 22, 23, 54) are about an event; everything else is about the server. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(22|23|54)[0-9A-Z]{3}$/.test(error.code)

/** What a batch appended, in log order: it goes to this process's subscribers without being read back. */
const recorded = (batch: Group, verdicts: readonly Verdict[]): readonly RecordedEvent[] =>
  batch.flatMap(({ stream, events }, index) => {
    const { outcome, revision, position, createdMs } = verdicts[index]!
    if (outcome !== 'appended' || revision === null || position === null) return []
    const back = (ordinal: number): number => events.length - 1 - ordinal
    return events.map(({ id, type, data, meta }, ordinal) => ({
      id,
      type,
      data,
      meta,
      stream,
      revision: revision - back(ordinal),
      position: { commit: position - BigInt(back(ordinal)), prepare: 0n },
      created: isoOf(String(createdMs)),
    }))
  })

const POSITION = /^\d{1,18}$/

/** The position in a notification. Any client may notify the channel: other payloads count as position 0, which only triggers a check. */
export function positionIn(payload: string): bigint {
  return POSITION.test(payload) ? BigInt(payload) : 0n
}

/** Soft delete or tombstone under the store's lock. Throws WrongExpectedRevision, and StreamDeleted for what is a tombstone already. */
async function deleteStream(pool: pg.Pool, stream: string, expected: ExpectedRevision, tombstone: boolean): Promise<void> {
  const { rows } = await pool.query<[string, string | null]>({
    text: 'select verdict, revision from es.delete_stream($1, $2, $3)',
    values: [stream, expectedCode(expected), tombstone],
    rowMode: 'array',
    types: RAW,
  })
  const [verdict, revision] = rows[0] ?? ['w', null]
  if (verdict === 'x') throw new StreamDeleted(`stream ${stream} is deleted`)
  if (verdict === 'w') throw new WrongExpectedRevision(stream, revision === null ? null : Number(revision))
}

/** Replaces all limits of the stream; what is left out is no longer limited. */
async function setStreamLimits(pool: pg.Pool, stream: string, limits: StreamLimits): Promise<void> {
  await pool.query(
    `insert into es.stream_meta (stream_id, truncate_before, max_count, max_age_seconds) values ($1, $2, $3, $4)
     on conflict (stream_id) do update
     set truncate_before = excluded.truncate_before, max_count = excluded.max_count, max_age_seconds = excluded.max_age_seconds`,
    [stream, limits.truncateBefore ?? null, limits.maxCount ?? null, limits.maxAgeSeconds ?? null],
  )
}

/** How many blocks are looked at to find ranges of about as many events: some 30 events each. */
const SAMPLED_BLOCKS = 500

const SAMPLE = {
  name: 'es_stream_sample',
  text: `
    select distinct stream_id as stream
    from es.event tablesample system (least(100, 100.0 * ${SAMPLED_BLOCKS} / greatest(pg_relation_size('es.event') / current_setting('block_size')::int, 1)))
    where stream_id >= $1 and stream_id < $2 order by stream_id`,
}

/** The store's `byStream.ranges`. The bounds are names that a sample met: they tell how much is in a range, not what. */
async function streamRanges(db: Pick<Pool, 'query'>, category: string, count: number): Promise<readonly StreamRange[]> {
  const all: StreamRange = { from: `${category}-`, to: `${category}.` }
  const { rows } = await db.query<{ stream: string }>({ ...SAMPLE, values: [all.from, all.to] })
  const bounds = new Set(Array.from({ length: count - 1 }, (_, n) => rows[Math.floor(((n + 1) * rows.length) / count)]?.stream ?? all.from))
  const starts = [all.from, ...[...bounds].filter((bound) => bound > all.from)]
  return starts.map((from, n) => ({ from, to: starts[n + 1] ?? all.to }))
}

/** The answer of the port for one verdict of a batch. */
function appendedOf(stream: string, { outcome, revision, position }: Verdict): Appended {
  if (revision !== null && position !== null)
    return { revision, position: { commit: position, prepare: 0n }, duplicate: outcome === 'duplicate' }
  throw refusalOf(stream, outcome, revision)
}

/** The answers for a group. Where it was not written, throws the refusal of the append that caused it. */
function togetherOf(group: Group, verdicts: readonly Verdict[]): readonly Appended[] {
  const refused = verdicts.findIndex(({ position, outcome }) => position === null && outcome !== 'left out')
  if (refused >= 0) throw refusalOf(group[refused]!.stream, verdicts[refused]!.outcome, verdicts[refused]!.revision)
  return group.map(({ stream }, n) => appendedOf(stream, verdicts[n]!))
}

const refusalOf = (stream: string, outcome: Verdict['outcome'], revision: number | null): EventStoreError => {
  if (outcome === 'left out')
    return new EventIdConflict(`${stream} was not written: some appends of its group are repetitions, others are not`)
  if (outcome === 'deleted') return new StreamDeleted(`stream ${stream} is deleted`)
  if (outcome === 'conflict') return new EventIdConflict(`some event ids of the append to ${stream} are already used otherwise`)
  return new WrongExpectedRevision(stream, revision)
}
