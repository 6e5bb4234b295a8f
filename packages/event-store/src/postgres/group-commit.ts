import { backoffDelay } from '@tidings/async'
import { InvalidAppend, Unavailable } from '../errors.ts'
import type { Group, Verdict } from './append-call.ts'

export type GroupCommitOptions = Readonly<{
  /** One call for many groups of appends. Rejects when nothing is known about any of them. */
  send: (groups: readonly Group[]) => Promise<readonly (readonly Verdict[])[]>
  /** Whether a rejection of `send` says that something in the batch can never be stored. Any other leaves the outcome unknown. */
  isRefusal: (error: unknown) => boolean
  /** Whether it says that no batch can be sent now; every caller in it then gets this error at once. */
  isFinal: (error: unknown) => boolean
  /** Called with every answered batch, before its callers get their answers. */
  onCommitted: (groups: readonly Group[], verdicts: readonly (readonly Verdict[])[]) => void
  /** Called for every batch whose outcome is unknown, before it is sent again. */
  onUnknown: (error: unknown, attempt: number) => void
  /** How long an append may wait for its answer, sending again included. */
  deadlineMs: number
  maxQueued: number
}>

type Waiting = Sized &
  Readonly<{ deadline: number; resolve: (verdicts: readonly Verdict[]) => void; reject: (error: Error) => void }> & {
    /** The number of its streams at which another group is still before it. */
    behind: number
  }

/** The queue is full at either bound: `maxQueued` small appends, or this much data. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024

/**
 * All appends that wait go out as one call; while it is on its way the next ones gather. A group of appends is in one of three places:
 * behind others of its streams (`#behind`), ready for the next batch (`#ready`), or in the batch in flight. An idle store sends at once, a
 * busy one in batches that grow with the load. A batch whose outcome is unknown goes out again with the same event ids.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #behind = new Map<string, Waiting[]>()
  #ready: Waiting[] = []
  #queued = 0
  #queuedBytes = 0
  #flight: Promise<void> | undefined
  #closed = false

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  /** True while a batch is on its way. */
  get busy(): boolean {
    return this.#flight !== undefined
  }

  append(appends: Group, bytes: number): Promise<readonly Verdict[]> {
    if (this.#closed) return Promise.reject(new Unavailable('the event store is closed'))
    if (this.#queued >= this.#options.maxQueued || this.#queuedBytes > MAX_QUEUED_BYTES) {
      return Promise.reject(new Unavailable(`${this.#queued} appends are waiting for the event log already; try again shortly`))
    }
    this.#queued += 1
    this.#queuedBytes += bytes
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#options.deadlineMs
      this.#enqueue({ appends, bytes, deadline, resolve, reject, behind: 0 })
      this.#flight ??= this.#fly()
    })
  }

  /** Takes no more; resolves when every waiting append has its answer, at the latest at its deadline. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#flight
  }

  #enqueue(item: Waiting): void {
    for (const { stream } of item.appends) {
      const line = this.#behind.get(stream)
      if (line === undefined) this.#behind.set(stream, [])
      else {
        line.push(item)
        item.behind += 1
      }
    }
    if (item.behind === 0) this.#ready.push(item)
  }

  async #fly(): Promise<void> {
    do {
      // Appends of this turn of the event loop, and those that follow an answer at once, join the batch.
      await new Promise(setImmediate)
      const { batch, rest } = nextBatch(this.#ready)
      this.#ready = rest
      await this.#deliver(batch)
    } while (this.#ready.length > 0)
    this.#flight = undefined
  }

  async #deliver(batch: readonly Waiting[]): Promise<void> {
    for (let left = batch, attempt = 1; left.length > 0; attempt++) {
      try {
        const groups = left.map(({ appends }) => appends)
        const verdicts = await this.#options.send(groups)
        this.#options.onCommitted(groups, verdicts)
        for (const [index, item] of left.entries()) this.#leave(item).resolve(verdicts[index]!)
        return
      } catch (error) {
        if (this.#options.isRefusal(error)) return this.#oneByOne(left, error)
        if (error instanceof Error && this.#options.isFinal(error)) {
          for (const item of left) this.#leave(item).reject(error)
          return
        }
        this.#options.onUnknown(error, attempt)
        left = this.#withoutLate(left, error)
        this.#ready = this.#withoutLate(this.#ready.splice(0), error).concat(this.#ready)
        if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, backoffDelay(attempt)))
      }
    }
  }

  /** Something in the batch is not acceptable to the database: alone, it fails alone. */
  async #oneByOne(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const item of batch) await this.#deliver([item])
      return
    }
    for (const item of batch)
      this.#leave(item).reject(new InvalidAppend(`the database refuses the append: ${textOf(error)}`, { cause: error }))
  }

  #withoutLate(items: readonly Waiting[], error: unknown): Waiting[] {
    const now = performance.now()
    return items.filter((item) => {
      if (item.deadline > now) return true
      const message = `the event log did not answer in time; the append may have been stored (${textOf(error)})`
      this.#leave(item).reject(new Unavailable(message, { cause: error }))
      return false
    })
  }

  /** The next of its streams take its place. */
  #leave(item: Waiting): Waiting {
    this.#queued -= 1
    this.#queuedBytes -= item.bytes
    for (const { stream } of item.appends) {
      const next = this.#behind.get(stream)?.shift()
      if (next === undefined) this.#behind.delete(stream)
      else if (--next.behind === 0) this.#ready.push(next)
    }
    return item
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

type Sized = Readonly<{ appends: Group; bytes: number }>

const MAX_GROUPS = 256
/** 20 000 events in appends of 50 take as long with any bound from 500 on (1.3 s); a batch of 1 000 is 50 ms, far from the 2.5 s of a statement. */
const MAX_EVENTS = 1_000
const MAX_BYTES = 1024 * 1024

/**
 * What goes out next: up to 256 groups, 1 000 events or 1 MB, whichever comes first, always at least one, and no event id twice. The second group
 * with an id waits for the next batch, where it is judged against the first (a unique violation would spoil its neighbours).
 */
export function nextBatch<T extends Sized>(ready: readonly T[]): Readonly<{ batch: readonly T[]; rest: T[] }> {
  const batch: T[] = []
  const postponed: T[] = []
  const ids = new Set<string>()
  let bytes = 0
  let taken = 0
  for (const item of ready) {
    const events = item.appends.reduce((sum, append) => sum + append.events.length, ids.size)
    if (batch.length > 0 && (batch.length >= MAX_GROUPS || events > MAX_EVENTS || bytes + item.bytes > MAX_BYTES)) break
    taken += 1
    if (item.appends.some(({ events }) => events.some((event) => ids.has(event.id)))) {
      postponed.push(item)
      continue
    }
    for (const { events } of item.appends) for (const event of events) ids.add(event.id)
    batch.push(item)
    bytes += item.bytes
  }
  return { batch, rest: [...postponed, ...ready.slice(taken)] }
}
