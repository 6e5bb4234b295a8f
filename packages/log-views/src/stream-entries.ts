import { entriesUpTo } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'

/** A stream folded up to `revision`. `workspaceId`: of all its events; null for a stream without events. */
export type StreamEntry<S> = Readonly<{ state: S; revision: number; workspaceId: WorkspaceId | null }>

export type StreamEntries<E, S> = Readonly<{
  find: (workspaceId: WorkspaceId, stream: string) => StreamEntry<S> | undefined
  /** Folds the next event of a known stream, or of one that begins here. */
  apply: (event: Recorded & E) => void
  /** Reads the stream with `read` and answers the newer of that and what is known. `isFollowed`: events are applied from before the read on. */
  refresh: (workspaceId: WorkspaceId, stream: string, read: Refresh<S>) => Promise<StreamEntry<S>>
}>

/** The most reads of one question, if an event overtakes each of them. */
const MAX_READS = 3

type Refresh<S> = Readonly<{ read: () => Promise<StreamEntry<S>>; isFollowed: boolean }>
type Folding<E, S> = Readonly<{ initial: S; evolve: (state: S, event: Recorded & E) => S; max: number }>

/**
 * The streams that are known, least recently used out first. An entry never goes back: of what is read and what is applied the higher
 * revision wins. A revision that is missing, or an event of another workspace, removes the entry: the next question reads the log.
 */
export function createStreamEntries<E, S extends object>({ initial, evolve, max }: Folding<E, S>): StreamEntries<E, S> {
  const empty: StreamEntry<S> = { state: initial, revision: -1, workspaceId: null }
  const known = new LRUCache<string, StreamEntry<S>>(entriesUpTo(max))
  /** The last read begun of each stream that is being read, with the newest revision applied meanwhile. */
  const reading = new Map<string, { newestApplied: number }>()

  const find: StreamEntries<E, S>['find'] = (workspaceId, stream) => {
    const entry = known.get(stream)
    return (entry?.workspaceId ?? workspaceId) === workspaceId ? entry : undefined
  }

  return {
    find,
    apply: (event) => {
      const { stream, revision } = event
      const { workspaceId } = event.meta
      const current = reading.get(stream)
      if (current !== undefined) current.newestApplied = Math.max(current.newestApplied, revision)
      const entry = known.get(stream) ?? (revision === 0 ? empty : undefined)
      if (entry === undefined || revision <= entry.revision) return
      const isNext = revision === entry.revision + 1 && (entry.workspaceId ?? workspaceId) === workspaceId
      if (isNext) known.set(stream, { state: evolve(entry.state, event), revision, workspaceId })
      else known.delete(stream)
    },
    refresh: async (workspaceId, stream, { read, isFollowed }) => {
      const own = { newestApplied: -1 }
      reading.set(stream, own)
      try {
        let entry = await read()
        // A newer state may have been answered while the stream was read: the caller gets nothing older.
        for (let reads = 1; own.newestApplied > entry.revision && reads < MAX_READS; reads++) entry = await read()
        const cached = find(workspaceId, stream)
        if (cached !== undefined && cached.revision > entry.revision) return cached
        // Only the last read notes what is applied: one that stalled and was superseded does not know whether it is still true.
        const isNewest = reading.get(stream) === own && own.newestApplied <= entry.revision
        // An event that is appended behind the read would be missed without a follower.
        if (isFollowed && isNewest) known.set(stream, entry)
        return entry
      } finally {
        if (reading.get(stream) === own) reading.delete(stream)
      }
    },
  }
}
