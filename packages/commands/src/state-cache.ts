import { roughSize } from '@tidings/codec'
import { LRUCache } from 'lru-cache'
import type { StreamState } from './stream-state.ts'

export type StateCache<S> = Readonly<{
  get: (stream: string) => StreamState<S> | undefined
  /** Keeps the newer of the two. */
  put: (stream: string, known: StreamState<S>) => void
  forget: (stream: string) => void
}>

/** Folded streams of one aggregate, least recently used out first; bounded by their size in memory and by number. */
export const stateCache = <S>(limits: Readonly<{ maxBytes: number; maxStreams: number }>): StateCache<S> => {
  const entries = new LRUCache<string, StreamState<S>>({
    max: limits.maxStreams,
    maxSize: limits.maxBytes,
    maxEntrySize: Math.ceil(limits.maxBytes / 8),
    sizeCalculation: (known, stream) => stream.length + roughSize(known),
  })
  return {
    get: (stream) => entries.get(stream),
    put: (stream, known) => {
      const held = entries.peek(stream)
      if (held === undefined || held.revision <= known.revision) entries.set(stream, known)
    },
    forget: (stream) => {
      entries.delete(stream)
    },
  }
}
