/** Does the work for all items, `width` of them at a time, each begun in their order; the results are in that order too. Throws the first failure once nothing is under way. */
export async function inOrder<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Array<R>(items.length)
  const left = items.entries()
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    // The iterator is shared: each worker takes the next item that is not taken.
    for (const [index, item] of left) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
