import type { Group } from './append-call.ts'

export type Sized = Readonly<{ appends: Group; bytes: number }>

const MAX_GROUPS = 256
const MAX_BYTES = 1024 * 1024

/**
 * What goes out next: up to 256 groups or 1 MB, whichever comes first, always at least one, and no event id twice. The second group
 * with an id waits for the next batch, where it is judged against the first (a unique violation would spoil its neighbours).
 */
export function nextBatch<T extends Sized>(ready: readonly T[]): Readonly<{ batch: readonly T[]; rest: T[] }> {
  const batch: T[] = []
  const postponed: T[] = []
  const ids = new Set<string>()
  let bytes = 0
  let taken = 0
  for (const item of ready) {
    if (batch.length > 0 && (batch.length >= MAX_GROUPS || bytes + item.bytes > MAX_BYTES)) break
    taken += 1
    if (item.appends.some(({ events }) => events.some((event) => ids.has(event.id)))) {
      postponed.push(item)
      continue
    }
    for (const { events } of item.appends) for (const event of events) ids.add(event.id)
    batch.push(item)
    bytes += item.bytes
  }
  return { batch, rest: [...postponed, ...ready.slice(taken)] }
}
