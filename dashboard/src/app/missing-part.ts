/** What `import()` failed with: a newer build has replaced a part that this page names, or the service is away. */
const failures = new WeakSet<Error>()

/** Vite says of each part that cannot be loaded, and throws what it says. */
export function watchMissingParts(target: Pick<Window, 'addEventListener'>): void {
  target.addEventListener('vite:preloadError', ({ payload }) => failures.add(payload))
}

export function isMissingPart(error: unknown): boolean {
  return error instanceof Error && failures.has(error)
}

const LOADED = 'tidings-reloaded'
const AGAIN_MS = 60_000

/** Whether this screen was loaded anew within the last minute: a part that is missing again then is gone for good. */
export function wasLoadedAnew(storage: Pick<Storage, 'getItem'>, path: string, now: number): boolean {
  const [where, at] = JSON.parse(storage.getItem(LOADED) ?? '[]')
  return where === path && now - at < AGAIN_MS
}

export function noteLoadedAnew(storage: Pick<Storage, 'setItem'>, path: string, now: number): void {
  storage.setItem(LOADED, JSON.stringify([path, now]))
}
