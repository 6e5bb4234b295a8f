import { RoundRobin } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
import type { Priority } from '../port.ts'

/** The workspace of a waiting message, and its class. */
export type Queued = Readonly<{ workspaceId: WorkspaceId; priority: Priority }>

/** The order in which classes go (M43). */
export const PRIORITIES: readonly Priority[] = ['passcode', 'transactional', 'marketing']

/** `maxOfOne`: how many of one workspace and class may wait. `max`: of one class, of all workspaces. */
type FairQueueLimits = Readonly<{ maxOfOne: number; max: number }>

const LIMITS: FairQueueLimits = { maxOfOne: 2_000, max: 20_000 }

/**
 * So many transactional messages in a row go before marketing of a workspace that has no transactional one waiting; then one message of it goes.
 * Else the backlog of one workspace would delay the campaigns of all others for as long as it lasts.
 */
export const PASSES = 9

/**
 * What waits for a provider: passcodes before transactional messages before marketing, and in a class one of each workspace in turn, so that a
 * backlog delays another workspace's message of its class by one message, and its marketing by `PASSES` transactional ones (M43). A workspace that has too many waiting is refused one more; where all together
 * have too many, the last message of the longest backlog makes room.
 */
export class FairQueue<Item extends Queued> {
  readonly #limits: FairQueueLimits
  readonly #classes: Readonly<Record<Priority, RoundRobin<WorkspaceId, Item>>> = {
    passcode: new RoundRobin(),
    transactional: new RoundRobin(),
    marketing: new RoundRobin(),
  }
  /** Transactional messages that went since marketing waits and none of it has gone. */
  #passes = 0

  constructor(limits: Partial<FairQueueLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  get size(): number {
    const { passcode, transactional, marketing } = this.#classes
    return passcode.size + transactional.size + marketing.size
  }

  /** Null where it waits now; else the item that has no room, which is this one or the last of a longer backlog. */
  push(item: Item): Item | null {
    const ofClass = this.#classes[item.priority]
    const own = ofClass.sizeOf(item.workspaceId)
    if (own >= this.#limits.maxOfOne) return item
    const dropped = ofClass.size < this.#limits.max ? null : lastOfLonger(ofClass, own)
    if (dropped === undefined) return item
    if (dropped !== null) this.delete(dropped)
    ofClass.add(item.workspaceId, item)
    return dropped
  }

  /** Queues it before the others of its workspace and class; it is never refused. */
  pushFirst(item: Item): void {
    this.#classes[item.priority].addFirst(item.workspaceId, item)
  }

  /** The next one that may go; undefined where none may. `mayTake` is asked at most twice for each workspace and class, and changes nothing. */
  take(mayTake: (next: Queued) => boolean = () => true): Item | undefined {
    const { passcode, transactional, marketing } = this.#classes
    const isDue = this.#passes >= PASSES
    const item =
      passcode.take(mayTake) ??
      (isDue ? marketing.take((next) => !transactional.has(next.workspaceId) && mayTake(next)) : undefined) ??
      transactional.take(mayTake) ??
      marketing.take(mayTake)
    if (item?.priority === 'marketing' || (item !== undefined && marketing.size === 0)) this.#passes = 0
    else if (item?.priority === 'transactional') this.#passes++
    return item
  }

  delete(item: Item): boolean {
    return this.#classes[item.priority].delete(item.workspaceId, item)
  }

  /** All of them, in the order in which they would go; none waits afterwards. */
  drain(): readonly Item[] {
    const items: Item[] = []
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item)
    return items
  }
}

/** What makes room for one of a workspace that `own` wait of; undefined where no other has more. */
function lastOfLonger<Item>(ofClass: RoundRobin<WorkspaceId, Item>, own: number): Item | undefined {
  const { length, last } = ofClass.longest()
  return length > own + 1 ? last : undefined
}
