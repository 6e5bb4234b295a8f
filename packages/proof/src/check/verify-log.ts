import type { Batch, EventStore, RecordedEvent } from '@tidings/event-store'
import type { Pool } from 'pg'
import { growTree, LogDiffers } from '../grow-tree.ts'
import type { LogKey } from '../log-key.ts'
import { leafOf } from '../stored-event.ts'
import { HASH_BYTES } from '../tree/hash.ts'
import { readTiles, readTreeSize, tileKey } from '../tree-tables.ts'
import { addFinding } from './add-finding.ts'
import { checkAnchorFile } from './check-anchor-file.ts'
import { HeadChecks } from './check-heads.ts'
import { type ActualLeaf, MovedLeaves, WINDOW } from './compare-leaves.ts'
import { ExpectedLeaves } from './expected-leaves.ts'
import { beginVerification, endVerification, readVerification, saveVerification, type Verification } from './verification-state.ts'

export type LogVerification = Readonly<{
  pool: Pool
  store: Pick<EventStore, 'readAll'>
  key: LogKey
  /** A file of anchored heads; null for none. */
  anchorFile: string | null
  /** Do not go on where a verification was stopped. */
  restart: boolean
  /** How often it is noted how far it is. Default 5 s. */
  saveEveryMs?: number
  onProgress: (done: number, total: number) => void
}>

/** `notes`: what is not as it should be and proves nothing wrong. `resumed`: the events that an earlier call had verified, and when it had begun; null where this one read all. */
export type VerifiedLog = Readonly<{
  ok: boolean
  events: number
  heads: number
  root: string
  problems: readonly string[]
  notes: readonly string[]
  resumed: Readonly<{ events: number; begunAt: string }> | null
}>

const PAGE = 5_000
const SAVE_EVERY_MS = 5_000

const nameOf = ({ id, type, stream, revision }: RecordedEvent): string => `the event ${id} (${type}, revision ${revision} of ${stream})`

/** One pass over the log: every event against its leaf, every tile against its leaves, every head against the tree of its size. */
class Pass {
  readonly #request: LogVerification
  readonly #state: Verification
  readonly #size: number
  readonly #expected: ExpectedLeaves
  readonly #heads: HeadChecks
  readonly #moved = new MovedLeaves()
  /** Events that were read and not compared yet. */
  #events: readonly RecordedEvent[] = []
  #read: Verification['after']
  #caughtUp = false
  /** The next page, on its way while one is compared. */
  #ahead: Promise<Batch> | null = null

  constructor(request: LogVerification, state: Verification, size: number) {
    this.#request = request
    this.#state = state
    this.#size = size
    this.#read = state.after
    this.#expected = new ExpectedLeaves(request.pool, size)
    this.#heads = new HeadChecks(request.pool, request.key, state.tree.size)
  }

  get heads(): number {
    return this.#heads.checked
  }

  #say(problem: string): void {
    addFinding(this.#state.problems, problem)
  }

  async #readMore(): Promise<void> {
    const { events, to, caughtUp } = await (this.#ahead ?? this.#request.store.readAll(this.#read, PAGE))
    this.#ahead = caughtUp ? null : this.#request.store.readAll(to, PAGE)
    // Attached now, so that a rejection is never unhandled: the next call throws it.
    this.#ahead?.catch(() => undefined)
    this.#events = this.#events.length === 0 ? events : [...this.#events, ...events]
    this.#read = to
    this.#caughtUp = caughtUp
  }

  async run(): Promise<void> {
    const { pool, onProgress, saveEveryMs = SAVE_EVERY_MS } = this.#request
    let savedAt = performance.now()
    while (this.#state.tree.size < this.#size) {
      if (this.#events.length === 0 && this.#caughtUp) break
      if (this.#events.length === 0) await this.#readMore()
      await this.#comparePage()
      await this.#compareTiles()
      onProgress(this.#state.tree.size, this.#size)
      if (performance.now() - savedAt < saveEveryMs) continue
      await saveVerification(pool, this.#state)
      savedAt = performance.now()
    }
    const missing = this.#size - this.#state.tree.size
    if (missing > 0) this.#say(`The log ends ${missing} events before its tree: they were removed, or an older backup was restored.`)
    await this.#takeRest()
  }

  /** Compares what was read with its leaves, up to the first difference. */
  async #comparePage(): Promise<void> {
    const { tree } = this.#state
    const count = await this.#expected.load(tree.size, this.#events.length + WINDOW)
    let at = 0
    while (at < this.#events.length && at < count) {
      const leaf = this.#expected.at(tree.size)
      if (!leafOf(this.#events[at]!).equals(leaf)) break
      tree.append(leaf)
      if (this.#heads.isDue(tree.size)) await this.#checkHead()
      at += 1
    }
    this.#pass(at)
    if (this.#events.length > 0 && tree.size < this.#size) await this.#explain()
  }

  #pass(count: number): void {
    const last = this.#events[count - 1]
    if (last === undefined) return
    this.#state.after = last.position
    this.#events = this.#events.slice(count)
  }

  /** One the log does not have as it was signed: the tree goes on with what was. */
  async #take(leaf: Buffer): Promise<void> {
    const { tree } = this.#state
    tree.append(leaf)
    if (this.#heads.isDue(tree.size)) await this.#checkHead()
  }

  async #checkHead(): Promise<void> {
    for (const problem of await this.#heads.check(this.#state.tree)) this.#say(problem)
  }

  async #explain(): Promise<void> {
    const { tree } = this.#state
    while (this.#events.length < WINDOW && !this.#caughtUp) await this.#readMore()
    const count = await this.#expected.load(tree.size, WINDOW)
    const expected = Array.from({ length: count }, (_, n) => this.#expected.at(tree.size + n))
    const actual: ActualLeaf[] = this.#events
      .slice(0, WINDOW)
      .map((event) => ({ hash: leafOf(event), position: event.position, name: nameOf(event) }))
    const difference = this.#moved.difference(tree.size, expected, actual)
    if (difference.problem !== null) this.#say(difference.problem)
    for (const leaf of expected.slice(0, difference.expected)) await this.#take(leaf)
    this.#pass(difference.actual)
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
      const count = await this.#expected.load(tree.size, PAGE)
      for (let n = 0; n < count; n++) await this.#take(this.#expected.at(tree.size))
    }
    await this.#compareTiles()
    for (const problem of await this.#heads.rest()) this.#say(problem)
  }
}

/**
 * Recomputes the tree over the whole log and compares it with what is stored, signed and anchored. Stopped, it goes on where it was when it is
 * called again. Throws `TreeDamaged` where leaves of the tree are missing.
 */
export async function verifyLog(request: LogVerification): Promise<VerifiedLog> {
  const { pool, store, anchorFile, restart } = request
  await growTree({ pool, store }).catch((error: unknown) => {
    // Named in the pass, by event.
    if (!(error instanceof LogDiffers)) throw error
  })
  const size = (await readTreeSize(pool))?.size ?? 0
  const stopped = restart ? null : await readVerification(pool)
  // One of a longer tree says nothing about this one.
  const before = stopped !== null && stopped.tree.size <= size ? stopped : null
  const state = before ?? beginVerification()
  const resumed = before === null ? null : { events: before.tree.size, begunAt: before.begunAt }
  const pass = new Pass(request, state, size)
  await pass.run()
  const { problems, tree } = state
  const notes: string[] = []
  if (anchorFile !== null) await checkAnchorFile(request, anchorFile, { problems, notes })
  await endVerification(pool)
  return { ok: problems.length === 0, events: tree.size, heads: pass.heads, root: tree.root().toString('hex'), problems, notes, resumed }
}
