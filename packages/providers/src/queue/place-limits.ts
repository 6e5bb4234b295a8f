import type { Priority } from '../port.ts'
import type { Queued } from './fair-queue.ts'

/** How many places one class may hold, lower ones included, and how many one workspace of that class. */
type PlaceLimit = Readonly<{ all: number; ofOne: number }>

/** Places that a class holds, and those of each workspace. */
type HeldPlaces = { all: number; readonly ofOne: Map<string, number> }

/** With so few slots, none is kept for another workspace. */
const FEW = 4

/** `carriesPasscodes`: one place more is kept from what is no passcode. */
export type PlaceLimitsSettings = Readonly<{ places: number; carriesPasscodes: boolean }>

/**
 * Decides which message may have a slot of a provider: a session, a call, or a place in the window. Marketing never has the last two, nothing but a
 * passcode the last one, and one workspace's passcodes, or transactional messages, never all that theirs may have: so none of them finds all
 * places in slow hands (M43). A single place goes to the next message.
 */
export class PlaceLimits {
  readonly #carriesPasscodes: boolean
  #limits: Readonly<Record<Priority, PlaceLimit>>
  readonly #held: Readonly<Record<Priority, HeldPlaces>> = {
    passcode: { all: 0, ofOne: new Map() },
    transactional: { all: 0, ofOne: new Map() },
    marketing: { all: 0, ofOne: new Map() },
  }

  constructor({ places, carriesPasscodes }: PlaceLimitsSettings) {
    this.#carriesPasscodes = carriesPasscodes
    this.#limits = this.#limitsOf(places)
  }

  /** Sets the number of slots; slots in use stay in use. */
  resize(places: number): void {
    this.#limits = this.#limitsOf(places)
  }

  /** `instead`: what holds the place now that it would get. */
  mayHold({ priority, workspaceId }: Queued, instead: Queued | null = null): boolean {
    const { all, ofOne } = this.#limits[priority]
    const given = instead !== null && RANK[instead.priority] >= RANK[priority] ? 1 : 0
    if (this.#heldUpTo(priority) - given >= all) return false
    const givenOfOne = instead?.priority === priority && instead.workspaceId === workspaceId ? 1 : 0
    return (this.#held[priority].ofOne.get(workspaceId) ?? 0) - givenOfOne < ofOne
  }

  hold({ priority, workspaceId }: Queued): void {
    const held = this.#held[priority]
    held.all++
    held.ofOne.set(workspaceId, (held.ofOne.get(workspaceId) ?? 0) + 1)
  }

  release({ priority, workspaceId }: Queued): void {
    const held = this.#held[priority]
    held.all--
    const left = (held.ofOne.get(workspaceId) ?? 0) - 1
    if (left > 0) held.ofOne.set(workspaceId, left)
    else held.ofOne.delete(workspaceId)
  }

  #limitsOf(places: number): Readonly<Record<Priority, PlaceLimit>> {
    const transactional = Math.max(1, this.#carriesPasscodes ? places - 1 : places)
    const ofOne = (all: number): number => (all < FEW ? all : all - 1)
    return {
      passcode: { all: places, ofOne: ofOne(places) },
      transactional: { all: transactional, ofOne: ofOne(transactional) },
      marketing: { all: Math.max(1, places - 2), ofOne: places },
    }
  }

  /** Places of this class and of those that go after it. */
  #heldUpTo(priority: Priority): number {
    const { passcode, transactional, marketing } = this.#held
    if (priority === 'marketing') return marketing.all
    return marketing.all + transactional.all + (priority === 'passcode' ? passcode.all : 0)
  }
}

/** What goes first has the lowest. */
const RANK: Readonly<Record<Priority, number>> = { passcode: 0, transactional: 1, marketing: 2 }
