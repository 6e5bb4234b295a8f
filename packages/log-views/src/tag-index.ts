export type TagIndex = Readonly<{
  add: (key: string, tags: readonly string[]) => void
  remove: (key: string, tags: readonly string[]) => void
  /** A copy: the caller may remove keys while it iterates. */
  keysOf: (tag: string) => readonly string[]
}>

/** The cached keys by tag; never larger than the cache. */
export function createTagIndex(): TagIndex {
  const keys = new Map<string, Set<string>>()
  return {
    add: (key, tags) => {
      for (const tag of tags) {
        const tagged = keys.get(tag)
        if (tagged) tagged.add(key)
        else keys.set(tag, new Set([key]))
      }
    },
    remove: (key, tags) => {
      for (const tag of tags) {
        const tagged = keys.get(tag)
        tagged?.delete(key)
        if (tagged?.size === 0) keys.delete(tag)
      }
    },
    keysOf: (tag) => [...(keys.get(tag) ?? [])],
  }
}
