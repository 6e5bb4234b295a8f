import type { Append } from './append-call.ts'

export type Sized = Append & Readonly<{ bytes: number }>

const MAX_APPENDS = 256
const MAX_BYTES = 1024 * 1024

/**
 * What goes out next: up to 256 appends or 1 MB, whichever comes first, always at least one, and no event id twice. The second append
 * with an id waits for the next batch, where it is judged against the first (a unique violation would spoil its neighbours).
 */
export const nextBatch = <T extends Sized>(ready: readonly T[]): Readonly<{ batch: readonly T[]; rest: T[] }> => {
  const batch: T[] = []
  const postponed: T[] = []
  const ids = new Set<string>()
  let bytes = 0
  let taken = 0
  for (const item of ready) {
    if (batch.length > 0 && (batch.length >= MAX_APPENDS || bytes + item.bytes > MAX_BYTES)) break
    taken += 1
    if (item.events.some((event) => ids.has(event.id))) {
      postponed.push(item)
      continue
    }
    for (const event of item.events) ids.add(event.id)
    batch.push(item)
    bytes += item.bytes
  }
  return { batch, rest: [...postponed, ...ready.slice(taken)] }
}
