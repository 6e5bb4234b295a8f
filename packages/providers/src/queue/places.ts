import { onAbort } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import { FairQueue, type Queued } from './fair-queue.ts'
import { PlaceLimits, type PlaceLimitsSettings } from './place-limits.ts'

/** `maxOfOne`: how many messages of one workspace and class may wait. */
export type PlacesSettings = PlaceLimitsSettings & Readonly<{ maxOfOne?: number }>

/** `isBegun`: of a message that is partly sent, so that it goes before the others of its workspace and class. */
export type PlaceRequest = Queued & Readonly<{ signal: AbortSignal; isBegun?: boolean }>

type WaitingForPlace = Queued & Readonly<{ go: () => void; fail: (why: string) => void }>

/**
 * The places of a provider, shared out fairly (M43): one is given when it is free for that very message, by class and workspace. `take` waits for
 * one and resolves with what gives it back; it rejects with an outage where the signal is aborted first, where too many of the workspace wait, or
 * on `close`.
 */
export class Places {
  readonly #queue: FairQueue<WaitingForPlace>
  readonly #limits: PlaceLimits
  #free: number
  #closed = false
  #idle = Promise.withResolvers<void>()
  readonly #size: number

  constructor({ maxOfOne, ...limits }: PlacesSettings) {
    this.#queue = new FairQueue(maxOfOne === undefined ? {} : { maxOfOne })
    this.#limits = new PlaceLimits(limits)
    this.#size = limits.places
    this.#free = limits.places
    this.#idle.resolve()
  }

  /** Whether no slot is in use and nothing waits. */
  isIdle(): boolean {
    return this.#free === this.#size && this.#queue.size === 0
  }

  take({ signal, isBegun = false, workspaceId, priority }: PlaceRequest): Promise<() => void> {
    if (this.#closed) return Promise.reject(new DeliveryError('outage', CLOSING))
    if (signal.aborted) return Promise.reject(new DeliveryError('outage', STOPPED))
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        unlink()
        reject(new DeliveryError('outage', why))
      }
      const go = (): void => {
        unlink()
        resolve(this.#given(entry))
      }
      const entry: WaitingForPlace = { workspaceId, priority, go, fail }
      const unlink = onAbort(signal, () => {
        if (this.#queue.delete(entry)) fail(STOPPED)
      })
      if (isBegun) this.#queue.pushFirst(entry)
      else this.#queue.push(entry)?.fail('too many messages of the workspace wait for the provider')
      this.#dispatch()
    })
  }

  /** Whatever waits fails; resolves when every place is free. */
  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of this.#queue.drain()) waiting.fail(CLOSING)
    await this.#idle.promise
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const next = this.#queue.take((queued) => this.#limits.mayHold(queued))
      if (next === undefined) return
      if (this.#free === this.#size) this.#idle = Promise.withResolvers()
      this.#free--
      this.#limits.hold(next)
      next.go()
    }
  }

  #given(holder: Queued): () => void {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#free++
      this.#limits.release(holder)
      if (this.#free === this.#size) this.#idle.resolve()
      this.#dispatch()
    }
  }
}

const CLOSING = 'the provider is being closed'
const STOPPED = 'stopped while the message waited for the provider'

/** Places of which each key has its own; a key without a message takes no memory. */
export class PlacesByKey {
  readonly #settings: PlacesSettings
  readonly #places = new Map<string, Places>()

  constructor(settings: PlacesSettings) {
    this.#settings = settings
  }

  async take(key: string, request: PlaceRequest): Promise<() => void> {
    const places = this.#places.get(key) ?? new Places(this.#settings)
    this.#places.set(key, places)
    const forget = (): void => {
      if (places.isIdle() && this.#places.get(key) === places) this.#places.delete(key)
    }
    const leave = await places.take(request).finally(forget)
    return () => {
      leave()
      forget()
    }
  }
}
