import { pause } from '@tidings/async'
import { type EventLog, UnknownEventType } from '@tidings/codec'
import { LogWentBack, type Position } from '@tidings/event-store'
import { isRetryable } from '@tidings/postgres'
import { CHECKPOINT } from '../table.ts'
import { type Applier, createApplier } from './apply-batch.ts'
import { assertReached } from './assert-same.ts'
import { readCheckpoint } from './checkpoint.ts'
import { watchSessions } from './end-sessions.ts'
import { explained } from './explain.ts'
import { openSession, SchemaTaken, type Session, type SessionOptions } from './session.ts'
import { openedTypes, type View, viewOf } from './view-event.ts'

export type RunOptions = SessionOptions &
  Readonly<{
    log: EventLog
    follow: boolean
    /** Ends the run after the batch that is under way; what was applied is kept. */
    signal: AbortSignal
    onProgress?: (position: Position, head: Position) => void
    /** Following begins. */
    onCaughtUp?: (position: Position) => void
  }>

/** `events`: how many this run applied. `from` exclusive, `to` inclusive. */
export type Ran = Readonly<{ events: number; from: Position; to: Position; schema: string; tables: readonly string[] }>

/** Measured alternately for a plain fold, with 250, 500, 1 000 and 2 000: 13 µs of Node's CPU an event with each, 175 MB with the first two, 310 with the others. */
const PAGE = 500
const RETRY_MS = 1_000

const filterOf = ({ file, personal, workspaceId }: RunOptions) => ({
  types: file.projection.events,
  personal: personal ? openedTypes(file.projection) : [],
  ...(workspaceId !== null && { workspaceId }),
})

/** Reads to the end of the log; a page is read and decoded while the one before it is folded. */
const catchUp = async (options: RunOptions, session: Session, applier: Applier): Promise<Position> => {
  const head = await options.log.head()
  assertReached(session.schema, session.position, head)
  let position = session.position
  const pages = options.log.pages(position, PAGE, filterOf(options))[Symbol.asyncIterator]()
  let coming = pages.next()
  try {
    for (let page = await coming; page.done !== true && !options.signal.aborted; page = await coming) {
      coming = pages.next()
      coming.catch(() => undefined) // awaited in the next round
      await applier.apply(page.value)
      position = page.value.to
      options.onProgress?.(position, head)
    }
  } finally {
    void pages.return?.() // it may have to wait for a store that is away
  }
  await applier.settle()
  return position
}

const subscribeToLog = async (options: RunOptions, from: Position, applier: Applier): Promise<void> => {
  const { log, signal } = options
  for await (const batch of log.subscribe({ from, signal, ...filterOf(options) })) {
    await applier.apply(batch)
    await applier.settle()
  }
}

const attempt = async (options: RunOptions, session: Session, applier: Applier): Promise<void> => {
  const position = await catchUp(options, session, applier)
  if (!options.follow || options.signal.aborted) return
  options.onCaughtUp?.(position)
  await subscribeToLog(options, position, applier)
}

/** The store or the database was away, and the same may succeed later. */
const isAway = (error: unknown): boolean => isRetryable(error) && !(error instanceof LogWentBack) && !(error instanceof UnknownEventType)

/** The schema may be taken by this run's last connection, until the server notices that its other end is gone. */
const reopen = async (options: RunOptions): Promise<Session | null> => {
  while (!options.signal.aborted) {
    await pause(RETRY_MS, options.signal)
    try {
      return await openSession({ ...options, restart: false })
    } catch (error) {
      if (!isAway(error) && !(error instanceof SchemaTaken)) throw error
    }
  }
  return null
}

/** Whether the run has ended, or the store or the database is away and it may go on later. */
const runSession = async (options: RunOptions, session: Session, view: View): Promise<'ended' | 'away'> => {
  const applier = createApplier(session, options.file.projection, view)
  try {
    await attempt(options, session, applier)
    return 'ended'
  } catch (error) {
    await applier.settle().catch(() => undefined) // what failed first is said
    if (options.follow && isAway(error)) return 'away'
    throw explained(error, options)
  }
}

/** The schema's tables and views, without the checkpoint. */
const tablesOf = async ({ client, schema }: Session): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm') and c.relname <> $2 order by 1`,
    [schema, CHECKPOINT],
  )
  return rows.map(({ name }) => name)
}

/** Counted by the checkpoint: an answer to a commit may be lost, and the commit done. */
const ranSince = async (first: Session, { client, schema, ...last }: Session): Promise<Ran> => {
  const { position, events } = (await readCheckpoint(client, schema)) ?? last
  return {
    events: Number(events - first.events),
    from: first.position,
    to: position,
    schema,
    tables: await tablesOf({ client, schema, ...last }),
  }
}

/**
 * Runs an analyst's projection: each event of the log once, in order, into the schema, until the end of the log, or with `follow` until the
 * signal. Killed at any moment, the same call goes on where the tables are.
 */
export async function runProjection(options: RunOptions): Promise<Ran> {
  const watching = watchSessions({ pool: options.pool })
  try {
    return await runWatched(options)
  } finally {
    watching.stop()
  }
}

async function runWatched(options: RunOptions): Promise<Ran> {
  const view = viewOf(options.file.projection, options.personal)
  const first = await openSession(options).catch((error: unknown) => {
    throw explained(error, options)
  })
  let session = first
  try {
    while ((await runSession(options, session, view)) === 'away') {
      await session.close()
      const reopened = await reopen(options)
      if (reopened === null) {
        const { position: to, events, schema } = session
        return { events: Number(events - first.events), from: first.position, to, schema, tables: [] }
      }
      session = reopened
    }
    return await ranSince(first, session)
  } finally {
    await session.close()
  }
}
