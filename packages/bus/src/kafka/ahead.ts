/** The same items, each fetched while the one before it is worked on: one ahead, never more. */
export async function* ahead<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const items = source[Symbol.asyncIterator]()
  const fetch = () => {
    const next = items.next()
    // Whoever asks for it hears of it; nobody may.
    next.catch(() => undefined)
    return next
  }
  try {
    for (let next = fetch(); ; ) {
      const { value, done } = await next
      if (done) return
      next = fetch()
      yield value
    }
  } finally {
    // Not awaited: the source may be waiting for an item that is long in coming.
    items.return?.().catch(() => undefined)
  }
}
