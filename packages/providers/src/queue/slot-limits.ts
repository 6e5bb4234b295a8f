import type { Priority } from '../port.ts'
import type { Queued } from './fair-queue.ts'

/** How many slots one class may take, lower ones included, and how many one workspace of that class. */
type SlotLimit = Readonly<{ all: number; ofOne: number }>

/** Slots that a class has, and those of each workspace. */
type TakenSlots = { all: number; readonly ofOne: Map<string, number> }

/** With so few slots, none is kept for another workspace. */
const FEW = 4

/** `carriesPasscodes`: one slot more is kept from what is no passcode. */
export type SlotLimitsSettings = Readonly<{ slots: number; carriesPasscodes: boolean }>

/**
 * Decides which message may have a slot of a provider: a session, a call, or a slot in the window. Marketing never has the last two, nothing but a
 * passcode the last one, and one workspace's passcodes, or transactional messages, never all that theirs may have: so none of them finds all
 * slots in slow hands (M43). A single slot goes to the next message.
 */
export class SlotLimits {
  readonly #carriesPasscodes: boolean
  #limits: Readonly<Record<Priority, SlotLimit>>
  readonly #taken: Readonly<Record<Priority, TakenSlots>> = {
    passcode: { all: 0, ofOne: new Map() },
    transactional: { all: 0, ofOne: new Map() },
    marketing: { all: 0, ofOne: new Map() },
  }

  constructor({ slots, carriesPasscodes }: SlotLimitsSettings) {
    this.#carriesPasscodes = carriesPasscodes
    this.#limits = this.#limitsOf(slots)
  }

  /** Sets the number of slots; slots in use stay in use. */
  resize(slots: number): void {
    this.#limits = this.#limitsOf(slots)
  }

  /** `instead`: what has the slot now that it would get. */
  mayTake({ priority, workspaceId }: Queued, instead: Queued | null = null): boolean {
    const { all, ofOne } = this.#limits[priority]
    const given = instead !== null && RANK[instead.priority] >= RANK[priority] ? 1 : 0
    if (this.#takenUpTo(priority) - given >= all) return false
    const givenOfOne = instead?.priority === priority && instead.workspaceId === workspaceId ? 1 : 0
    return (this.#taken[priority].ofOne.get(workspaceId) ?? 0) - givenOfOne < ofOne
  }

  take({ priority, workspaceId }: Queued): void {
    const taken = this.#taken[priority]
    taken.all++
    taken.ofOne.set(workspaceId, (taken.ofOne.get(workspaceId) ?? 0) + 1)
  }

  release({ priority, workspaceId }: Queued): void {
    const taken = this.#taken[priority]
    taken.all--
    const left = (taken.ofOne.get(workspaceId) ?? 0) - 1
    if (left > 0) taken.ofOne.set(workspaceId, left)
    else taken.ofOne.delete(workspaceId)
  }

  #limitsOf(slots: number): Readonly<Record<Priority, SlotLimit>> {
    const transactional = Math.max(1, this.#carriesPasscodes ? slots - 1 : slots)
    const ofOne = (all: number): number => (all < FEW ? all : all - 1)
    return {
      passcode: { all: slots, ofOne: ofOne(slots) },
      transactional: { all: transactional, ofOne: ofOne(transactional) },
      marketing: { all: Math.max(1, slots - 2), ofOne: slots },
    }
  }

  /** Slots of this class and of those that go after it. */
  #takenUpTo(priority: Priority): number {
    const { passcode, transactional, marketing } = this.#taken
    if (priority === 'marketing') return marketing.all
    return marketing.all + transactional.all + (priority === 'passcode' ? passcode.all : 0)
  }
}

/** What goes first has the lowest. */
const RANK: Readonly<Record<Priority, number>> = { passcode: 0, transactional: 1, marketing: 2 }
