type Keyed<T> = Readonly<{ item: T; keys: readonly string[] }>

/** `between`: is called when all that was begun is done, and something is left that comes behind it. */
type InOrder<T> = Readonly<{ atOnce: number; work: (item: T) => Promise<void>; between: () => Promise<void> }>

/**
 * Works on items side by side, at most so many at once; those that a key connects, also by way of others, one after the other, in their order: a line
 * that gives a person another address changes what a line by the former address means. The next of such a group waits for all others and for
 * `between`: what that notes is done before anything changes what it means.
 */
export async function inOrder<T>(items: readonly Keyed<T>[], { atOnce, work, between }: InOrder<T>): Promise<void> {
  const groups = connected(items)
  const rounds = groups.reduce((most, group) => Math.max(most, group.length), 0)
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await between()
    const left = groups.flatMap((group) => group.slice(round, round + 1)).values()
    const run = async (): Promise<void> => {
      for (const item of left) await work(item)
    }
    await Promise.all(Array.from({ length: atOnce }, run))
  }
}

/** The items in groups, each in the order of the items. */
function connected<T>(items: readonly Keyed<T>[]): readonly (readonly T[])[] {
  const above = new Map<string, string>()
  const rootOf = (key: string): string => {
    let root = key
    for (let next = above.get(root); next !== undefined && next !== root; next = above.get(root)) root = next
    above.set(key, root)
    return root
  }
  for (const { keys } of items) {
    const [first = '', ...others] = keys
    for (const other of others) above.set(rootOf(other), rootOf(first))
  }
  const groups = Map.groupBy(items, ({ keys: [first = ''] }) => rootOf(first))
  return [...groups.values()].map((group) => group.map(({ item }) => item))
}
