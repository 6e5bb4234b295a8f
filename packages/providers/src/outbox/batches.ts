type Waiting<Item> = Readonly<{ item: Item; resolve: () => void; reject: (error: unknown) => void }>

/** Writes what waits in one call, one call at a time; each `put` settles with the call that carried its item. Callers bound their own number. */
export function inBatches<Item>(write: (items: readonly Item[]) => Promise<void>, max: number): (item: Item) => Promise<void> {
  const queue: Waiting<Item>[] = []
  let writing = false
  const run = async (): Promise<void> => {
    writing = true
    while (queue.length > 0) {
      const batch = queue.splice(0, max)
      try {
        await write(batch.map(({ item }) => item))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (!writing) void run()
    })
}
