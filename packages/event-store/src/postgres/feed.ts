import { backoffDelay, pause } from '@tidings/async'
import { LogWentBack } from '../errors.ts'
import { type Batch, comparePositions, type Position, type RecordedEvent, START } from '../port.ts'
import type { Tail } from '../tail/tail.ts'

import type { LogReads, Queryable } from './read.ts'
import type { Session } from './session.ts'

export type FeedOptions = Readonly<{
  tail: Tail
  /** Listens and reads. */
  session: Session
  reads: LogReads
  /** The safety net: the log is read at least this often, whatever was announced. Also the interval of the heartbeats. */
  pollMs: number
  /** True while this process appends: an announcement is then probably its own, and its events arrive without being read back. */
  appending: () => boolean
  /** Called with errors of the connection, except `LogWentBack`, which the check itself logs. */
  onError: (error: unknown) => void
}>

const BATCH = 2_000

/** Positions are dense, so `commit - 1` is the event directly before. */
const directlyBefore = (commit: bigint): Position => (commit === 1n ? START : { commit: commit - 1n, prepare: 0n })

/**
 * Keeps the tail at the end of the log. It sleeps until something is announced that it does not have, this process appended behind a
 * gap, or the poll is due. Announcements set a number that is compared before sleeping (level, not edge), so none is lost.
 */
export class Feed {
  readonly #options: FeedOptions
  readonly #closing = new AbortController()
  #announced = START.commit
  #missing = false
  #isConnected = false
  #running: Promise<void> | undefined
  #wake = new AbortController()

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Starts with the first subscriber: a process that only appends reads nothing. */
  start(): void {
    this.#running ??= this.#run()
  }

  get started(): boolean {
    return this.#running !== undefined
  }

  /** True while the log was read over the present connection and was the one that was seen. A server that is restored closes it first. */
  get isConnected(): boolean {
    return this.#isConnected
  }

  /** The connection is gone: what answers next may be another log. */
  lost(): void {
    this.#isConnected = false
    this.#nudge()
  }

  /** Another connection says that the log reaches `position` now. */
  announce(position: bigint): void {
    if (position > this.#announced) this.#announced = position
    this.#nudge()
  }

  /** A batch of this process was answered, having appended these, in log order and without a hole. What is announced beyond them comes from other processes. */
  appended(events: readonly RecordedEvent[]): void {
    const { tail } = this.#options
    const first = events[0]
    const last = events.at(-1)
    if (first !== undefined && last !== undefined && !tail.extend(directlyBefore(first.position.commit), events, last.position))
      this.#missing = true
    if (this.#announced > (tail.end() ?? START).commit) this.#missing = true
    this.#nudge()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#wake.abort()
    await this.#running
  }

  #behind(): boolean {
    const end = this.#options.tail.end()
    if (end === undefined || this.#missing) return true
    return this.#announced > end.commit && !this.#options.appending()
  }

  #nudge(): void {
    if (this.#behind()) this.#wake.abort()
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#closing.signal.aborted; ) {
      try {
        await this.#read()
        failures = 0
      } catch (error) {
        this.#isConnected = false
        if (this.#closing.signal.aborted) return
        if (!(error instanceof LogWentBack)) {
          this.#options.session.discard()
          this.#options.onError(error)
        }
        failures += 1
        await pause(backoffDelay(failures), this.#closing.signal)
      }
    }
  }

  /** Without an announcement the log has probably not grown: checking that takes one statement, reading takes two. */
  async #after(client: Queryable, from: Position): Promise<Batch> {
    const { reads } = this.#options
    const isQuiet = this.#announced <= from.commit
    if (isQuiet && comparePositions(await reads.head(client), from) === 0) return { events: [], to: from, caughtUp: true }
    return await reads.readAll(client, from, BATCH)
  }

  /** Reads to the end, then sleeps. */
  async #read(): Promise<void> {
    const { tail, session, reads, pollMs } = this.#options
    const client = await session.client()
    this.#missing = false
    const announced = this.#announced
    const from = tail.end()
    if (from === undefined) return tail.open(await reads.head(client))
    const { events, to, caughtUp } = await this.#after(client, from)
    this.#isConnected = true
    tail.extend(from, events, to)
    if (!caughtUp) return
    // Announced events that the read does not find were never written: waiting for them would mean reading without a pause.
    if (this.#announced === announced && announced > to.commit) this.#announced = to.commit
    this.#wake = new AbortController()
    if (!this.#behind() && !this.#closing.signal.aborted) await pause(pollMs, this.#wake.signal)
  }
}
