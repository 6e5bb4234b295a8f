import { resolve } from 'node:path'
import { ThreadEnded } from '@tidings/async/threads'
import type { EventLog } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import {
  comparePositions,
  type EventStore,
  EventStoreError,
  type Position,
  parsePosition,
  positionText,
  type RecordedEvent,
  START,
} from '@tidings/event-store'
import type { Pool } from 'pg'
import { type Encoding, encoded } from './encoding.ts'
import { opened, sealed } from './exported-event.ts'
import { type MatchingRequest, matchingBytes, matchingPages } from './matching-pages.ts'
import { ndjson } from './ndjson.ts'
import { OPENED_PAGE, type OpeningThreads, openedParts } from './opened-parts.ts'
import { type Part, partOf, type ToBytes } from './part.ts'
import { sealedLines } from './sealed-lines.ts'
import { type Format, isWholeLog, matchOf, type Selection, selectionText } from './selection.ts'
import { openTarget, type TargetFile } from './target-file.ts'
import type { Reached } from './unfinished.ts'

/** Positions as texts; null where there is none: `from` of an export from the first event, `to` of one of an empty log. */
export type Exported = Readonly<{ events: number; from: string | null; to: string | null; file: string }>

export type ExportOptions = Readonly<{
  file: string
  selection: Selection
  store: Pick<EventStore, 'readAll' | 'readMatching' | 'readBytes' | 'readStream' | 'head' | 'advance'>
  log: Pick<EventLog, 'decode'>
  /** The event types that this build knows. */
  known: ReadonlySet<string>
  /** The database that keeps the lock on the file. */
  pool: Pool
  /** The threads in which the whole log may be opened; a selection of it, or another format, uses this thread. */
  threads?: OpeningThreads | undefined
  onProgress?: (at: Position, head: Position) => void
  limits?: Partial<Limits>
}>

/** Events a page; after so many bytes or pages comes a checkpoint. */
type Limits = Readonly<{ page: number; checkpointBytes: number; checkpointPages: number }>

/** A killed export repeats a fraction of a second's work. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024

/**
 * Where little matches there are few bytes, and the work is to look through the log: with Postgres a page is then 50 000 positions. Where most
 * matches the bytes come first.
 */
const CHECKPOINT_PAGES = 200

const limitsOf = ({ limits, selection: { sealed } }: ExportOptions): Limits => ({
  ...{ page: sealed ? 1_000 : OPENED_PAGE, checkpointBytes: CHECKPOINT_BYTES, checkpointPages: CHECKPOINT_PAGES },
  ...limits,
})

/**
 * Writes the events of the log, up to where it ends now, to a file. Killed or failed, the same call goes on where it ended. Throws one sentence
 * where it is refused; the error of an event that cannot be exported, once all before it are in the file.
 */
export async function exportLog(options: ExportOptions): Promise<Exported> {
  const file = resolve(options.file)
  assertKnown(options)
  try {
    return await onlyWriter(options.pool, file, async (lost) => {
      const head = await options.store.head()
      assertReaches(head, options.selection.from, '--from')
      const target = await openTarget(file, selectionText(options.selection))
      try {
        assertReaches(head, target.reached.to === null ? null : parsePosition(target.reached.to), `what ${file} was exported from already`)
        await assertSameLog(options, target.reached)
        return await exportTo({ ...options, file, target, head, lost })
      } finally {
        await target.close()
      }
    })
  } catch (error) {
    throw explained(error, file)
  }
}

const assertKnown = ({ selection: { types }, known }: ExportOptions): void => {
  const unknown = types?.find((type) => !known.has(type))
  if (unknown !== undefined) throw new OperationFailed(`There is no event type ${unknown}: see docs/reference/events.md.`)
}

const assertReaches = (head: Position, position: Position | null, called: string): void => {
  if (position === null || comparePositions(position, head) <= 0) return
  const end = comparePositions(head, START) === 0 ? 'is empty' : `ends at ${positionText(head)}`
  throw new OperationFailed(`The log ${end}, before ${called}: it was set back, or the position is one of another log.`)
}

const assertSameLog = async ({ store, file }: ExportOptions, { seen }: Reached): Promise<void> => {
  if (seen === null) return
  const [event] = await store.readStream(seen.stream, { from: seen.revision, limit: 1 })
  if (event?.id !== seen.id)
    throw new OperationFailed(`The log is not the one that ${file} was begun from: export to another file, from its beginning.`)
}

type Exporting = ExportOptions & Readonly<{ target: TargetFile; head: Position; lost: AbortSignal }>

/** The writer of a format is loaded with its first use. */
const encodingOf = async (format: Format, { bytes, encoding: state }: Reached): Promise<Encoding> =>
  format === 'ndjson' ? ndjson() : (await import('./parquet.ts')).parquet({ bytes, state })

/** The state of the export, in memory. `since`: the last checkpoint. */
type Tally = { events: number; to: Position | null; seen: Reached['seen']; since: { bytes: number; pages: number } }

const exportTo = async (exporting: Exporting): Promise<Exported> => {
  const { selection, target, file, head } = exporting
  const { reached } = target
  const encoding = await encodingOf(selection.format, reached)
  const start = reached.to === null ? selection.from : parsePosition(reached.to)
  const tally: Tally = { events: reached.events, to: start, seen: reached.seen, since: { bytes: 0, pages: 0 } }
  for await (const part of partsOf(exporting, encoding, start)) {
    exporting.lost.throwIfAborted()
    await writePart(exporting, part, { tally, encoding })
    exporting.onProgress?.(part.to ?? START, head)
    if (part.isLast) break
  }
  await target.append(encoding.end())
  await target.finish()
  const text = (position: Position | null) => (position === null || position.commit < 0n ? null : positionText(position))
  return { events: tally.events, from: text(selection.from), to: text(tally.to), file }
}

async function* partsOf(exporting: Exporting, encoding: Encoding, start: Position | null): AsyncGenerator<Part, void, undefined> {
  const { selection, store, log, known, threads } = exporting
  const asked: MatchingRequest = { after: start ?? 'start', limit: limitsOf(exporting).page, match: matchOf(selection) }
  if (threads !== undefined && threads.count > 1 && store.advance !== undefined && isWholeLog(selection))
    return yield* openedParts({ ...exporting, threads, advance: store.advance, after: start ?? START })
  if (selection.sealed && selection.format === 'ndjson')
    yield* partsFrom(exporting, start, { pages: matchingBytes(store, asked), toBytes: sealedLines(known) })
  else {
    const toBytes = encoded(selection.sealed ? sealed(known) : opened(log), encoding)
    yield* partsFrom(exporting, start, { pages: matchingPages(store, asked), toBytes })
  }
}

type Source<Event> = Readonly<{ pages: AsyncIterable<Readonly<{ events: readonly Event[]; to: Position }>>; toBytes: ToBytes<Event> }>

async function* partsFrom<Event extends Omit<RecordedEvent, 'data' | 'meta'>>(
  { head, selection: { until } }: Exporting,
  start: Position | null,
  { pages, toBytes }: Source<Event>,
): AsyncGenerator<Part, void, undefined> {
  let before = start
  for await (const { events, to } of pages) {
    yield await partOf(events, { to, head, before, until }, toBytes)
    before = to
  }
}

type ExportProgress = Readonly<{ tally: Tally; encoding: Encoding }>

const writePart = async (
  exporting: Exporting,
  { bytes, events, to, seen, failure }: Part,
  { tally, encoding }: ExportProgress,
): Promise<void> => {
  await exporting.target.append(bytes)
  tally.seen = seen ?? tally.seen
  tally.events += events
  tally.to = to
  tally.since = { bytes: tally.since.bytes + bytes.length, pages: tally.since.pages + 1 }
  await checkpointWhereDue(exporting, { tally, encoding }, failure !== null)
  if (failure !== null) throw failure
}

/** Buffered bytes of the format are written too, if the position would wait for them for long. */
const checkpointWhereDue = async (exporting: Exporting, { tally, encoding }: ExportProgress, isOver: boolean): Promise<void> => {
  const { target } = exporting
  const { checkpointBytes, checkpointPages } = limitsOf(exporting)
  const isLong = isOver || tally.since.pages >= checkpointPages
  if (isLong) await target.append(encoding.flush())
  if (!isLong && (tally.since.bytes < checkpointBytes || !encoding.isWhole())) return
  tally.since = { bytes: 0, pages: 0 }
  const at = tally.to === null || tally.to.commit < 0n ? null : positionText(tally.to)
  await target.checkpoint({ events: tally.events, to: at, seen: tally.seen, encoding: encoding.state() })
}

const OF_THE_DISK = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EIO', 'EFBIG', 'ENAMETOOLONG', 'ELOOP']

/** A file system's refusal, or the log's, in one sentence; other errors as they are. */
function explained(error: unknown, file: string): unknown {
  if (error instanceof EventStoreError)
    return new OperationFailed(`The export ended early, because ${error.message}. Repeated when that is mended, the call goes on.`, {
      cause: error,
    })
  if (error instanceof ThreadEnded)
    return new OperationFailed(
      `The export ended early (${error.message}). Repeated, the call goes on; with \`--threads 1\` if it happens again.`,
      { cause: error },
    )
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || !OF_THE_DISK.includes(code)) return error
  return new OperationFailed(`${file} cannot be written (${code}): make room, or name a file in a folder that you may write.`, {
    cause: error,
  })
}

/**
 * Runs `work` while no other process of this installation writes the file. The lock is one of a database session: where that is lost the
 * signal is aborted, and the export can be continued.
 */
async function onlyWriter<Result>(pool: Pool, file: string, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
  const lost = new AbortController()
  const client = await pool.connect()
  const onError = (): void =>
    lost.abort(new OperationFailed('The database closed the connection: repeat the call, and the export goes on.'))
  client.on('error', onError)
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
      `log export ${file}`,
    ])
    if (rows[0]?.taken !== true) throw new OperationFailed(`${file} is being written by another export: wait for it, or name another file.`)
    return await work(lost.signal)
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => undefined) // a lost session has lost its lock too
    client.off('error', onError)
    client.release(true)
  }
}
