/** `first` goes before `rest`. */
type Backlog<Item> = Readonly<{ first: Set<Item>; rest: Set<Item> }>

/** Items that wait by key: the keys take turns, and the items of one keep their order. A key is forgotten with its last item. */
export class RoundRobin<Key, Item> {
  /** In the order of their turns. */
  readonly #backlogs = new Map<Key, Backlog<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(key: Key): boolean {
    return this.#backlogs.has(key)
  }

  sizeOf(key: Key): number {
    return lengthOf(this.#backlogs.get(key))
  }

  add(key: Key, item: Item): void {
    this.#backlogOf(key).rest.add(item)
    this.#size++
  }

  /** Goes before all that `add` queued of the key, and after what went ahead of them before. */
  addFirst(key: Key, item: Item): void {
    this.#backlogOf(key).first.add(item)
    this.#size++
  }

  /** The first item of the next key whose first item may go. The other keys keep their turns. */
  take(mayTake: (next: Item) => boolean = () => true): Item | undefined {
    for (const [key, backlog] of this.#backlogs) {
      const from = backlog.first.size > 0 ? backlog.first : backlog.rest
      const { value: item } = from.values().next()
      if (item === undefined || !mayTake(item)) continue
      from.delete(item)
      this.#size--
      this.#backlogs.delete(key)
      if (lengthOf(backlog) > 0) this.#backlogs.set(key, backlog)
      return item
    }
    return undefined
  }

  /** All of them, in the order in which they would go; none waits afterwards. */
  takeAll(): readonly Item[] {
    const items: Item[] = []
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item)
    return items
  }

  delete(key: Key, item: Item): boolean {
    const backlog = this.#backlogs.get(key)
    if (backlog === undefined || !(backlog.first.delete(item) || backlog.rest.delete(item))) return false
    if (lengthOf(backlog) === 0) this.#backlogs.delete(key)
    this.#size--
    return true
  }

  /** The key that most items wait of, with the last of them that may be given up: none of those that went ahead. */
  longest(): Readonly<{ length: number; last: Item | undefined }> {
    const backlog = [...this.#backlogs.values()].reduce<Backlog<Item> | undefined>(
      (one, other) => (lengthOf(other) > lengthOf(one) ? other : one),
      undefined,
    )
    return { length: lengthOf(backlog), last: [...(backlog?.rest ?? [])].at(-1) }
  }

  #backlogOf(key: Key): Backlog<Item> {
    const known = this.#backlogs.get(key)
    if (known !== undefined) return known
    const backlog = { first: new Set<Item>(), rest: new Set<Item>() }
    this.#backlogs.set(key, backlog)
    return backlog
  }
}

const lengthOf = (backlog: Backlog<unknown> | undefined): number => (backlog === undefined ? 0 : backlog.first.size + backlog.rest.size)
