import type { Priority } from '../port.ts'
import type { Queued } from './fair-queue.ts'

/** How many places one class may hold, lower ones included, and how many one workspace of that class. */
type Limit = Readonly<{ all: number; ofOne: number }>

/** Of so few places none is kept for another workspace. */
const FEW = 4

/** `carriesPasscodes`: one place more is kept from what is no passcode. */
export type PlaceLimitsSettings = Readonly<{ places: number; carriesPasscodes: boolean }>

/**
 * Who may have one of the places of a provider: its sessions, the calls at once, or the window. Marketing never has the last two, nothing but a
 * passcode the last one, and one workspace's passcodes, or transactional messages, never all that theirs may have: so none of them finds all
 * places in slow hands (M43). A single place goes to the next message.
 */
export class PlaceLimits {
  readonly #carriesPasscodes: boolean
  #limits: ReadonlyMap<Priority, Limit>
  readonly #held = new Map<Priority, number>()
  readonly #heldOfOne = new Map<string, number>()

  constructor({ places, carriesPasscodes }: PlaceLimitsSettings) {
    this.#carriesPasscodes = carriesPasscodes
    this.#limits = this.#limitsOf(places)
  }

  /** So many places there are from now on; what is held stays held. */
  resize(places: number): void {
    this.#limits = this.#limitsOf(places)
  }

  /** `instead`: what holds the place now that it would get. */
  mayHold(next: Queued, instead: Queued | null = null): boolean {
    const { all, ofOne } = this.#limits.get(next.priority) ?? { all: 0, ofOne: 0 }
    const own = this.#heldOfOneBy(next) - (instead !== null && keyOf(instead) === keyOf(next) ? 1 : 0)
    return own < ofOne && this.#heldUpTo(next.priority, instead) < all
  }

  hold(holder: Queued): void {
    this.#held.set(holder.priority, this.#heldBy(holder.priority) + 1)
    this.#heldOfOne.set(keyOf(holder), this.#heldOfOneBy(holder) + 1)
  }

  release(holder: Queued): void {
    this.#held.set(holder.priority, this.#heldBy(holder.priority) - 1)
    const left = this.#heldOfOneBy(holder) - 1
    if (left > 0) this.#heldOfOne.set(keyOf(holder), left)
    else this.#heldOfOne.delete(keyOf(holder))
  }

  #limitsOf(places: number): ReadonlyMap<Priority, Limit> {
    const transactional = Math.max(1, this.#carriesPasscodes ? places - 1 : places)
    const ofOne = (all: number): number => (all < FEW ? all : all - 1)
    return new Map<Priority, Limit>([
      ['passcode', { all: places, ofOne: ofOne(places) }],
      ['transactional', { all: transactional, ofOne: ofOne(transactional) }],
      ['marketing', { all: Math.max(1, places - 2), ofOne: places }],
    ])
  }

  /** Places of this class and of those that go after it. */
  #heldUpTo(priority: Priority, instead: Queued | null): number {
    const counts = UP_TO[priority].map((one) => this.#heldBy(one) - (instead?.priority === one ? 1 : 0))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  #heldBy(priority: Priority): number {
    return this.#held.get(priority) ?? 0
  }

  #heldOfOneBy(holder: Queued): number {
    return this.#heldOfOne.get(keyOf(holder)) ?? 0
  }
}

const UP_TO: Readonly<Record<Priority, readonly Priority[]>> = {
  passcode: ['passcode', 'transactional', 'marketing'],
  transactional: ['transactional', 'marketing'],
  marketing: ['marketing'],
}

const keyOf = ({ priority, workspaceId }: Queued): string => `${priority} ${workspaceId}`
