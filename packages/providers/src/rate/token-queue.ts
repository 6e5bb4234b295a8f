import { onAbort } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import { FairQueue, type Queued } from '../queue/fair-queue.ts'

/**
 * Where tokens come from. `nextAt`: when the next one is free, by `performance.now()`; null where `more` must get some first, for so many that
 * wait. `more` rejects where there are none to be had.
 */
type TokenSource = Readonly<{
  nextAt: () => number | null
  take: () => void
  giveBack: () => void
  more?: (count: number) => Promise<void>
}>

type WaitingForToken = Queued & Readonly<{ go: () => void; fail: (why: string) => void }>

/** Tokens, one for each message that may go. `take`: undefined where it has one at once; rejects with an outage where the signal is aborted first, or there are none to be had. */
export type Tokens = Readonly<{
  take: (message: Queued & Readonly<{ signal: AbortSignal }>) => Promise<void> | undefined
  giveBack: () => void
}>

/** Callers that wait for a token. A free token goes to the next by class and workspace (M43). */
export class TokenQueue implements Tokens {
  readonly #source: TokenSource
  readonly #queue = new FairQueue<WaitingForToken>()
  #timer: NodeJS.Timeout | undefined
  #isGettingMore = false

  constructor(source: TokenSource) {
    this.#source = source
  }

  /** Undefined where it has one at once. Rejects with an outage where the signal is aborted first, or there are none to be had. */
  take({ signal, workspaceId, priority }: Queued & Readonly<{ signal: AbortSignal }>): Promise<void> | undefined {
    if (signal.aborted) return Promise.reject(new DeliveryError('outage', STOPPED))
    if (this.#queue.size === 0 && this.#isFree()) {
      this.#source.take()
      return undefined
    }
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        unlink()
        reject(new DeliveryError('outage', why))
      }
      const go = (): void => {
        unlink()
        resolve()
      }
      const entry: WaitingForToken = { workspaceId, priority, go, fail }
      const unlink = onAbort(signal, () => {
        if (this.#queue.delete(entry)) fail(STOPPED)
      })
      this.#queue.push(entry)?.fail('too many messages of the workspace wait for the rate of sending')
      this.wake()
    })
  }

  /** The token of a message that was not sent goes to the next. */
  giveBack(): void {
    this.#source.giveBack()
    this.wake()
  }

  /** Looks again what is free now. */
  wake(): void {
    if (this.#queue.size === 0) return
    clearTimeout(this.#timer)
    while (this.#queue.size > 0 && this.#isFree()) {
      this.#source.take()
      this.#queue.take()?.go()
    }
    if (this.#queue.size === 0 || this.#isGettingMore) return
    const at = this.#source.nextAt()
    if (at === null) void this.#getMore()
    else this.#timer = setTimeout(() => this.wake(), Math.max(0, at - performance.now()))
  }

  #isFree(): boolean {
    const at = this.#source.nextAt()
    return at !== null && at <= performance.now()
  }

  async #getMore(): Promise<void> {
    this.#isGettingMore = true
    try {
      await this.#source.more?.(this.#queue.size)
    } catch (error) {
      const why = `The rate of sending cannot be kept: ${error instanceof Error ? error.message : String(error)}`
      for (const waiting of this.#queue.drain()) waiting.fail(why)
    }
    this.#isGettingMore = false
    this.wake()
  }
}

const STOPPED = 'Stopped while the message waited for its time.'
