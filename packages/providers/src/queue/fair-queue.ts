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

/** `first` goes before `rest`: what was begun or put back. */
type Backlog<Item> = Readonly<{ first: Set<Item>; rest: Set<Item> }>

/** `backlogs`: the workspace that is next first. */
type QueuedClass<Item> = { size: number; readonly backlogs: Map<string, Backlog<Item>> }

/**
 * What waits for a provider: passcodes before transactional messages before marketing, and in a class one of each workspace in turn, so that a
 * backlog delays another workspace's message of its class by one message, and its marketing by `PASSES` transactional ones (M43). A workspace that has too many waiting is refused one more; where all together
 * have too many, the last message of the longest backlog makes room.
 */
export class FairQueue<Item extends Queued> {
  readonly #limits: FairQueueLimits
  readonly #classes: Readonly<Record<Priority, QueuedClass<Item>>> = {
    passcode: { size: 0, backlogs: new Map() },
    transactional: { size: 0, backlogs: new Map() },
    marketing: { size: 0, backlogs: new Map() },
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
    const { size, backlogs } = this.#classes[item.priority]
    const own = sizeOf(backlogs.get(item.workspaceId))
    if (own >= this.#limits.maxOfOne) return item
    const dropped = size >= this.#limits.max ? lastOfLongest(backlogs, item, own) : null
    if (dropped === item) return item
    if (dropped !== null) this.delete(dropped)
    this.#backlogFor(item).rest.add(item)
    return dropped
  }

  /** Queues it before the others of its workspace and class; it is never refused. */
  pushFirst(item: Item): void {
    this.#backlogFor(item).first.add(item)
  }

  /** The next one that may go; undefined where none may. `mayTake` is asked at most twice for each workspace and class, and changes nothing. */
  take(mayTake: (next: Queued) => boolean = () => true): Item | undefined {
    const item = this.#next(mayTake)
    if (item === undefined) return undefined
    this.delete(item)
    this.#toEnd(item)
    if (item.priority === 'marketing' || this.#classes.marketing.size === 0) this.#passes = 0
    else if (item.priority === 'transactional') this.#passes++
    return item
  }

  #next(mayTake: (next: Queued) => boolean): Item | undefined {
    return (
      this.#firstOf('passcode', mayTake) ??
      (this.#passes < PASSES ? undefined : this.#firstOf('marketing', (next) => !this.#sendsTransactional(next) && mayTake(next))) ??
      this.#firstOf('transactional', mayTake) ??
      this.#firstOf('marketing', mayTake)
    )
  }

  #firstOf(priority: Priority, mayTake: (next: Queued) => boolean): Item | undefined {
    const { size, backlogs } = this.#classes[priority]
    if (size === 0) return undefined
    for (const { first, rest } of backlogs.values()) {
      const { value: item } = (first.size > 0 ? first : rest).values().next()
      if (item !== undefined && mayTake(item)) return item
    }
    return undefined
  }

  #sendsTransactional({ workspaceId }: Queued): boolean {
    return this.#classes.transactional.backlogs.has(workspaceId)
  }

  delete(item: Item): boolean {
    const ofClass = this.#classes[item.priority]
    const backlog = ofClass.backlogs.get(item.workspaceId)
    if (backlog === undefined || !(backlog.first.delete(item) || backlog.rest.delete(item))) return false
    if (sizeOf(backlog) === 0) ofClass.backlogs.delete(item.workspaceId)
    ofClass.size--
    return true
  }

  /** All of them, in the order in which they would go; none waits afterwards. */
  drain(): readonly Item[] {
    const items: Item[] = []
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item)
    return items
  }

  #backlogFor({ priority, workspaceId }: Item): Backlog<Item> {
    const ofClass = this.#classes[priority]
    ofClass.size++
    const known = ofClass.backlogs.get(workspaceId)
    if (known !== undefined) return known
    const backlog = { first: new Set<Item>(), rest: new Set<Item>() }
    ofClass.backlogs.set(workspaceId, backlog)
    return backlog
  }

  #toEnd({ priority, workspaceId }: Item): void {
    const { backlogs } = this.#classes[priority]
    const backlog = backlogs.size > 1 ? backlogs.get(workspaceId) : undefined
    if (backlog === undefined) return
    backlogs.delete(workspaceId)
    backlogs.set(workspaceId, backlog)
  }
}

function lastOfLongest<Item>(backlogs: ReadonlyMap<string, Backlog<Item>>, item: Item, own: number): Item {
  const longest = [...backlogs.values()].reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one))
  return sizeOf(longest) <= own + 1 ? item : ([...longest.rest].at(-1) ?? item)
}

const sizeOf = (backlog: Backlog<unknown> | undefined): number => (backlog === undefined ? 0 : backlog.first.size + backlog.rest.size)
