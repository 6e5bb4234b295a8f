/** Old entries that one eviction looks at; an entry that must stay goes to the end of the queue. */
const LOOKS = 64

/** Makes room for one more entry by dropping the oldest that may go; false where all that are looked at must stay. */
export function makeRoom<T>(entries: Map<string, T>, max: number, mustStay: (entry: T) => boolean): boolean {
  if (entries.size < max) return true
  for (let look = 0; look < LOOKS; look++) {
    const oldest = entries.entries().next()
    if (oldest.done) return true
    const [key, entry] = oldest.value
    entries.delete(key)
    if (!mustStay(entry)) return true
    entries.set(key, entry)
  }
  return false
}
