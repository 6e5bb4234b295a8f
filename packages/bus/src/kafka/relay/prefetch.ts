/** The same items, each fetched while the one before it is worked on: one ahead, never more. */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const items = source[Symbol.asyncIterator]()
  const fetch = () => {
    const next = items.next()
    // Handled now, so that a rejection that comes before the await is never unhandled.
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
    // This is not awaited: the source may be waiting for its next item.
    items.return?.().catch(() => undefined)
  }
}
