import type { Priority } from '../port.ts'

/** Whose message waits. */
export type Queued = Readonly<{ workspaceId: string; priority: Priority }>

/** The order in which classes go (M43). */
export const PRIORITIES: readonly Priority[] = ['passcode', 'transactional', 'marketing']

/** `maxOfOne`: how many of one workspace and class may wait. `max`: of one class, of all workspaces. */
type FairQueueLimits = Readonly<{ maxOfOne: number; max: number }>

const LIMITS: FairQueueLimits = { maxOfOne: 2_000, max: 20_000 }

/** `first` goes before `rest`: what was begun or put back. */
type Backlog<Item> = Readonly<{ first: Set<Item>; rest: Set<Item> }>

/**
 * What waits for a provider: passcodes before transactional messages before marketing, and in a class one of each workspace in turn, so that a
 * backlog delays another workspace's message by one message (M43). A workspace that has too many waiting is refused one more; where all together
 * have too many, the last message of the longest backlog makes room.
 */
export class FairQueue<Item extends Queued> {
  readonly #limits: FairQueueLimits
  /** By class: the backlogs, the workspace whose turn is next first. */
  readonly #classes = new Map<Priority, Map<string, Backlog<Item>>>(PRIORITIES.map((priority) => [priority, new Map()]))
  readonly #sizes = new Map<Priority, number>(PRIORITIES.map((priority) => [priority, 0]))

  constructor(limits: Partial<FairQueueLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  get size(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#sizeOf(priority), 0)
  }

  /** Null where it waits now; else the item that has no room, which is this one or the last of a longer backlog. */
  push(item: Item): Item | null {
    const own = sizeOf(this.#backlogsOf(item).get(item.workspaceId))
    if (own >= this.#limits.maxOfOne) return item
    const dropped = this.#sizeOf(item.priority) >= this.#limits.max ? this.#lastOfLongest(item, own) : null
    if (dropped === item) return item
    if (dropped !== null) this.delete(dropped)
    this.#add(item, 'rest')
    return dropped
  }

  /** Before the others of its workspace and class; it is never refused. */
  pushFirst(item: Item): void {
    this.#add(item, 'first')
  }

  /** The next one that may go; undefined where none may. `mayTake` is asked once for each workspace and class. */
  take(mayTake: (next: Queued) => boolean = () => true): Item | undefined {
    for (const priority of PRIORITIES) {
      if (this.#sizeOf(priority) === 0) continue
      for (const [workspaceId, { first, rest }] of this.#classes.get(priority) ?? []) {
        if (!mayTake({ workspaceId, priority })) continue
        const [item] = first.size > 0 ? first : rest
        if (item === undefined) continue
        this.delete(item)
        this.#toEnd(item)
        return item
      }
    }
    return undefined
  }

  delete(item: Item): boolean {
    const backlogs = this.#backlogsOf(item)
    const backlog = backlogs.get(item.workspaceId)
    if (backlog === undefined || !(backlog.first.delete(item) || backlog.rest.delete(item))) return false
    if (sizeOf(backlog) === 0) backlogs.delete(item.workspaceId)
    this.#sizes.set(item.priority, this.#sizeOf(item.priority) - 1)
    return true
  }

  /** All of them, in the order in which they would go; none waits afterwards. */
  drain(): readonly Item[] {
    const items: Item[] = []
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item)
    return items
  }

  #add(item: Item, where: keyof Backlog<Item>): void {
    const backlogs = this.#backlogsOf(item)
    const backlog = backlogs.get(item.workspaceId) ?? { first: new Set(), rest: new Set() }
    backlogs.set(item.workspaceId, backlog)
    backlog[where].add(item)
    this.#sizes.set(item.priority, this.#sizeOf(item.priority) + 1)
  }

  #toEnd(item: Item): void {
    const backlogs = this.#backlogsOf(item)
    const backlog = backlogs.get(item.workspaceId)
    if (backlog === undefined) return
    backlogs.delete(item.workspaceId)
    backlogs.set(item.workspaceId, backlog)
  }

  #lastOfLongest(item: Item, own: number): Item {
    const longest = [...this.#backlogsOf(item).values()].reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one))
    return sizeOf(longest) <= own + 1 ? item : ([...longest.rest].at(-1) ?? item)
  }

  #backlogsOf({ priority }: Queued): Map<string, Backlog<Item>> {
    return this.#classes.get(priority) ?? new Map()
  }

  #sizeOf(priority: Priority): number {
    return this.#sizes.get(priority) ?? 0
  }
}

const sizeOf = (backlog: Readonly<{ first: ReadonlySet<unknown>; rest: ReadonlySet<unknown> }> | undefined): number =>
  backlog === undefined ? 0 : backlog.first.size + backlog.rest.size
