import { ThreadEnded } from '@tidings/async/threads'
import { OperationFailed } from '@tidings/config'
import type { EventStore, RecordedEvent } from '@tidings/event-store'
import type { Pool } from 'pg'
import { growTree, LogDiffers } from '../grow-tree.ts'
import { lastHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { latestTime } from '../newest-event.ts'
import { leafOf } from '../stored-event.ts'
import { HASH_BYTES } from '../tree/hash.ts'
import { TILE_WIDTH } from '../tree/tiles.ts'
import { readTiles, readTreeSize, tileKey } from '../tree-tables.ts'
import { addFinding } from './add-finding.ts'
import { checkAnchorFile } from './check-anchor-file.ts'
import { HeadChecks } from './check-heads.ts'
import { type ActualLeaf, MovedLeaves, WINDOW } from './compare-leaves.ts'
import { EventsFrom } from './events-from.ts'
import { ExpectedLeaves, leafAt } from './expected-leaves.ts'
import { type LeafPart, leafParts, PART, type Readers } from './leaf-parts.ts'
import { beginVerification, endVerification, readVerification, saveVerification, type Verification } from './verification-state.ts'

export type LogVerification = Readonly<{
  pool: Pool
  store: Pick<EventStore, 'readAll' | 'readBytes' | 'advance' | 'head'>
  /** Null: the log is read in this thread. */
  readers: Readers | null
  key: LogKey
  /** A file of anchored heads; null for none. */
  anchorFile: string | null
  /** Do not go on where a verification was stopped. */
  restart: boolean
  /** How often it is noted how far it is. Default 5 s. */
  saveEveryMs?: number
  onProgress: (done: number, total: number) => void
}>

/** `ok`: nothing is wrong, and this call read all. `notes`: what is not as it should be and proves nothing wrong. `resumed`: the events that an earlier call had verified, and when it had begun; null where this one read all. */
export type VerifiedLog = Readonly<{
  ok: boolean
  events: number
  heads: number
  root: string
  problems: readonly string[]
  notes: readonly string[]
  resumed: Readonly<{ events: number; begunAt: string }> | null
}>

const SAVE_EVERY_MS = 5_000

const nameOf = ({ id, type, stream, revision }: RecordedEvent): string => `the event ${id} (${type}, revision ${revision} of ${stream})`

/** One pass over the log: every event against its leaf, every tile against its leaves, every head against the tree of its size. */
class Pass {
  readonly #request: LogVerification
  readonly #state: Verification
  readonly #size: number
  readonly #latest: string
  readonly #expected: ExpectedLeaves
  readonly #heads: HeadChecks
  readonly #moved = new MovedLeaves()

  /** `latest`: nothing is dated later. */
  constructor(request: LogVerification, state: Verification, { size, latest }: Readonly<{ size: number; latest: string }>) {
    this.#request = request
    this.#state = state
    this.#size = size
    this.#latest = latest
    this.#expected = new ExpectedLeaves(request.pool, size)
    this.#heads = new HeadChecks({ ...request, latest }, state.tree.size)
  }

  get heads(): number {
    return this.#heads.checked
  }

  #say(problem: string): void {
    addFinding(this.#state.problems, problem)
  }

  async run(): Promise<void> {
    const { pool, store, readers, onProgress, saveEveryMs = SAVE_EVERY_MS } = this.#request
    let savedAt = performance.now()
    for await (const part of leafParts(store, this.#state.after, readers)) {
      await this.#comparePart(part)
      await this.#compareTiles()
      onProgress(this.#state.tree.size, this.#size)
      // What is behind has been appended since: a part that is compared only up to here is no place to go on from.
      if (this.#state.tree.size === this.#size) break
      this.#state.after = part.to
      if (performance.now() - savedAt < saveEveryMs || this.#moved.isOpen) continue
      await saveVerification(pool, this.#request.key, this.#state)
      savedAt = performance.now()
    }
    const missing = this.#size - this.#state.tree.size
    if (missing > 0) this.#say(`The log ends ${missing} events before its tree: they were removed, or an older backup was restored.`)
    await this.#takeRest()
  }

  /**
   * Where the log is what was signed, no event of it is older than one before it, or later than now: one that is was dated so when it was put
   * there.
   */
  async #compareTimes({ after, to, times }: LeafPart): Promise<void> {
    const state = this.#state
    if (!times.isOrdered || times.oldest < state.latest || times.newest > this.#latest) {
      const log = new EventsFrom(this.#request.store, after)
      let latest = state.latest
      for (await log.fill(1); log.has(0, to); await log.fill(1)) {
        const event = log.events[0]!
        if (event.created < latest)
          this.#say(
            `Dated ${event.created}, and behind what was recorded at ${latest}, is ${nameOf(event)} (position ${event.position.commit}): it was backdated.`,
          )
        if (event.created > this.#latest)
          this.#say(`Dated ${event.created}, later than now, is ${nameOf(event)} (position ${event.position.commit}): it was dated ahead.`)
        if (event.created > latest) latest = event.created
        log.pass(1)
      }
    }
    if (times.newest > state.latest) state.latest = times.newest
  }

  /** Most parts are as they should be, and are compared as a whole; else it is looked at the events themselves. */
  async #comparePart(part: LeafPart): Promise<void> {
    const { tree } = this.#state
    const count = await this.#expected.load(tree.size, part.leaves.length / HASH_BYTES)
    const expected = this.#expected.from(tree.size, count)
    const isSame = expected.equals(part.leaves.subarray(0, expected.length))
    if (isSame) await this.#compareTimes(part)
    if (isSame) await this.#take(expected)
    else await this.#compareEvents(part)
  }

  async #compareEvents({ after, to }: LeafPart): Promise<void> {
    const { tree } = this.#state
    const log = new EventsFrom(this.#request.store, after)
    for (await log.fill(1); tree.size < this.#size && log.has(0, to); await log.fill(1)) {
      const count = await this.#expected.load(tree.size, log.events.length)
      const expected = this.#expected.from(tree.size, count)
      let same = 0
      while (same < count && log.has(same, to) && leafOf(log.events[same]!).equals(leafAt(expected, same))) same += 1
      await this.#take(expected.subarray(0, same * HASH_BYTES))
      log.pass(same)
      if (tree.size < this.#size && log.has(0, to)) await this.#explain(log)
    }
  }

  /** Leaves of the tree as it was signed: it goes on with them, whatever the log has. */
  async #take(leaves: Buffer): Promise<void> {
    const { tree } = this.#state
    for (let at = 0; at < leaves.length; ) {
      const next = this.#heads.isDue(tree.size + TILE_WIDTH) ? HASH_BYTES : TILE_WIDTH * HASH_BYTES
      const some = leaves.subarray(at, at + next)
      for (let of = 0; of < some.length; of += HASH_BYTES) tree.append(some.subarray(of, of + HASH_BYTES))
      at += some.length
      if (this.#heads.isDue(tree.size)) for (const problem of await this.#heads.check(tree)) this.#say(problem)
    }
  }

  async #explain(log: EventsFrom): Promise<void> {
    const { tree } = this.#state
    await log.fill(WINDOW)
    const count = await this.#expected.load(tree.size, WINDOW)
    const leaves = this.#expected.from(tree.size, count)
    const expected = Array.from({ length: count }, (_, n) => leafAt(leaves, n))
    const actual: ActualLeaf[] = log.events
      .slice(0, WINDOW)
      .map((event) => ({ hash: leafOf(event), position: event.position, name: nameOf(event) }))
    const difference = this.#moved.difference(tree.size, expected, actual)
    if (difference.problem !== null) this.#say(difference.problem)
    await this.#take(leaves.subarray(0, difference.expected * HASH_BYTES))
    log.pass(difference.actual)
  }

  /** The tiles above the leaves, as soon as they are full. */
  async #compareTiles(): Promise<void> {
    const made = this.#state.tree.takeChanged().filter(({ level }) => level > 0)
    if (made.length === 0) return
    const stored = await readTiles(this.#request.pool, made)
    for (const tile of made) {
      const found = stored.get(tileKey(tile))
      if (found?.subarray(0, tile.hashes.length).equals(tile.hashes) === true) continue
      this.#say(`The stored tree does not fit its leaves: tile ${tileKey(tile)}, of ${tile.hashes.length / HASH_BYTES} hashes.`)
    }
  }

  /** What the tree has and the log has not: heads are checked over all of it. */
  async #takeRest(): Promise<void> {
    const { tree } = this.#state
    while (tree.size < this.#size) {
      const count = await this.#expected.load(tree.size, PART)
      await this.#take(this.#expected.from(tree.size, count))
    }
    await this.#compareTiles()
    for (const problem of await this.#heads.rest()) this.#say(problem)
  }
}

const endedEarly = (cause: ThreadEnded): OperationFailed =>
  new OperationFailed(`The verification ended early (${cause.message}). Repeated, the call goes on.`, { cause })

/** A head is signed as soon as there is an event, and again every five minutes. */
const UNSIGNED_MS = 900_000

const missingHeads = async ({ pool, key, store }: LogVerification, size: number): Promise<readonly string[]> => {
  if (size === 0 || (await lastHead(pool, key)) !== null) return []
  const created = (await store.readAll('start', 1)).events[0]?.created
  if (created === undefined || Date.now() - Date.parse(created) < UNSIGNED_MS) return []
  return [
    `No head of the tree is signed, though the first event is of ${created}: the heads were removed, or nothing signs them. What the tree is compared with is the tree alone.`,
  ]
}

/**
 * Recomputes the tree over the whole log and compares it with what is stored, signed and anchored. Stopped, it goes on where it was when it is
 * called again. Throws `TreeDamaged` where leaves of the tree are missing.
 */
export async function verifyLog(request: LogVerification): Promise<VerifiedLog> {
  const { pool, store, key, anchorFile, restart } = request
  await growTree({ pool, store }).catch((error: unknown) => {
    // Named in the pass, by event.
    if (!(error instanceof LogDiffers)) throw error
  })
  const size = (await readTreeSize(pool))?.size ?? 0
  const stopped = restart ? null : await readVerification(pool, key)
  // One of a longer tree says nothing about this one.
  const before = stopped !== null && stopped.tree.size <= size ? stopped : null
  const state = before ?? beginVerification()
  const resumed = before === null ? null : { events: before.tree.size, begunAt: before.begunAt }
  const pass = new Pass(request, state, { size, latest: await latestTime(pool) })
  await pass.run().catch((error: unknown) => {
    throw error instanceof ThreadEnded ? endedEarly(error) : error
  })
  const { problems, tree } = state
  const others = [...(await hiddenStreams(pool)), ...(await repeatedRevisions(pool)), ...(await missingHeads(request, tree.size))]
  for (const problem of others) addFinding(problems, problem)
  const notes: string[] = []
  if (anchorFile !== null) await checkAnchorFile(request, anchorFile, { problems, notes })
  await endVerification(pool)
  // What another call has read is known by a row of the database that is verified, which who writes there can put back.
  const ok = problems.length === 0 && resumed === null
  return { ok, events: tree.size, heads: pass.heads, root: tree.root().toString('hex'), problems, notes, resumed }
}

type HiddenStreamRow = Readonly<{ stream_id: string }>

/** Streams of which the database hides events from readers, in a sentence each: Tidings deletes and limits none (ADR 34). */
async function hiddenStreams(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<HiddenStreamRow>('select stream_id from es.stream_meta order by stream_id limit 101')
  return rows.map(
    ({ stream_id }) => `Events of stream ${stream_id} are hidden from readers by its row in es.stream_meta, which Tidings did not write.`,
  )
}

type RepeatedRevisionRow = Readonly<{ stream_id: string; revision: number; events: string }>

/** The pairs come from the index alone, where the table has it; the table has it unless somebody took it away, or put events beside it. */
const REPEATED = `
  with twice as (select stream_id, revision from es.event group by stream_id, revision having count(*) > 1 limit 101)
  select t.stream_id, t.revision, string_agg(e.name, ' and ' order by e.position) as events
  from twice t cross join lateral (
    select position, format('the event %s (%s, position %s)', event_id, type, position) as name from es.event
    where stream_id = t.stream_id and revision = t.revision order by position limit 2) e
  group by t.stream_id, t.revision order by t.stream_id, t.revision`

/**
 * Events that have one number in one stream, in a sentence each: an export can show either, and an auditor of it cannot know of the other. Only
 * who has the whole log finds them (ADR 34).
 */
async function repeatedRevisions(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<RepeatedRevisionRow>(REPEATED)
  return rows.map(
    ({ stream_id, revision, events }) =>
      `Stream ${stream_id} has more than one event of revision ${revision}: ${events}. An export may show the one and hide the other.`,
  )
}
