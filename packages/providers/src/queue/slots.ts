import { onAbort } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import { FairQueue, type Queued } from './fair-queue.ts'
import { SlotLimits, type SlotLimitsSettings } from './slot-limits.ts'

/** `maxOfOne`: how many messages of one workspace and class may wait. */
export type SlotsSettings = SlotLimitsSettings & Readonly<{ maxOfOne?: number }>

/** `isBegun`: of a message that is partly sent, so that it goes before the others of its workspace and class. */
export type SlotRequest = Queued & Readonly<{ signal: AbortSignal; isBegun?: boolean }>

type WaitingForSlot = Queued & Readonly<{ go: () => void; fail: (why: string) => void }>

/**
 * The slots of a provider, shared out fairly (M43): one is given when it is free for that very message, by class and workspace. `take` waits for
 * one and resolves with what gives it back; it rejects with an outage where the signal is aborted first, where too many of the workspace wait, or
 * on `close`.
 */
export class Slots {
  readonly #queue: FairQueue<WaitingForSlot>
  readonly #limits: SlotLimits
  #free: number
  #closed = false
  #idle = Promise.withResolvers<void>()
  readonly #size: number

  constructor({ maxOfOne, ...limits }: SlotsSettings) {
    this.#queue = new FairQueue(maxOfOne === undefined ? {} : { maxOfOne })
    this.#limits = new SlotLimits(limits)
    this.#size = limits.slots
    this.#free = limits.slots
    this.#idle.resolve()
  }

  /** Whether no slot is in use and nothing waits. */
  isIdle(): boolean {
    return this.#free === this.#size && this.#queue.size === 0
  }

  take({ signal, isBegun = false, workspaceId, priority }: SlotRequest): Promise<() => void> {
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
      const entry: WaitingForSlot = { workspaceId, priority, go, fail }
      const unlink = onAbort(signal, () => {
        if (this.#queue.delete(entry)) fail(STOPPED)
      })
      if (isBegun) this.#queue.pushFirst(entry)
      else this.#queue.push(entry)?.fail('too many messages of the workspace wait for the provider')
      this.#dispatch()
    })
  }

  /** Whatever waits fails; resolves when every slot is free. */
  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of this.#queue.drain()) waiting.fail(CLOSING)
    await this.#idle.promise
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const next = this.#queue.take((queued) => this.#limits.mayTake(queued))
      if (next === undefined) return
      if (this.#free === this.#size) this.#idle = Promise.withResolvers()
      this.#free--
      this.#limits.take(next)
      next.go()
    }
  }

  #given(owner: Queued): () => void {
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#free++
      this.#limits.release(owner)
      if (this.#free === this.#size) this.#idle.resolve()
      this.#dispatch()
    }
  }
}

const CLOSING = 'the provider is being closed'
const STOPPED = 'stopped while the message waited for the provider'

/** Slots of which each key has its own; a key without a message takes no memory. */
export class SlotsByKey {
  readonly #settings: SlotsSettings
  readonly #slots = new Map<string, Slots>()

  constructor(settings: SlotsSettings) {
    this.#settings = settings
  }

  async take(key: string, request: SlotRequest): Promise<() => void> {
    const slots = this.#slots.get(key) ?? new Slots(this.#settings)
    this.#slots.set(key, slots)
    const forget = (): void => {
      if (slots.isIdle() && this.#slots.get(key) === slots) this.#slots.delete(key)
    }
    const leave = await slots.take(request).finally(forget)
    return () => {
      leave()
      forget()
    }
  }
}
