import { type DetailKind, weeksBefore } from '@tidings/domain'
import { periodSubject } from '../layers.ts'
import { retryTransient } from '../retry-transient.ts'
import type { EndedRow, KeyStore } from './key-store.ts'

/** By workspace and kind, the Monday before which all weeks have ended. */
export type EndedDetails = ReadonlyMap<string, Readonly<Partial<Record<DetailKind, string>>>>

export type Retention = Readonly<{
  /** What retention has ended, as this process knows it: at most a minute old, and as new as what `noteEnded` gave it. */
  endedDetails: () => Promise<EndedDetails>
  /** Ends details durably, for ever: marks the weeks before `until` as ended and destroys their keys. An earlier `until` takes nothing back. */
  endDetails: (ended: EndedRow) => Promise<void>
  /** Takes over what another process has ended, and drops what is cached of it. */
  noteEnded: (ended: EndedRow) => void
}>

type Settings = Readonly<{ store: KeyStore; forget: (workspaceId: string, subject: string) => void; now: () => number }>

const MAX_AGE_MS = 60_000
/** A cached key lives for five minutes: only rebuilds open weeks as old as these. */
const FORGOTTEN_WEEKS = 1_000

/** What has ended in all workspaces: a few rows each, read as a whole. */
export function createRetention({ store, forget, now }: Settings): Retention {
  const known = new Map<string, Partial<Record<DetailKind, string>>>()
  let readAt: number | null = null
  let reading: Promise<EndedDetails> | undefined

  const noteEnded = ({ workspaceId, kind, until }: EndedRow): void => {
    const of = known.get(workspaceId)
    if ((of?.[kind] ?? '') >= until) return
    known.set(workspaceId, { ...of, [kind]: until })
    for (const week of weeksBefore(until, FORGOTTEN_WEEKS)) forget(workspaceId, periodSubject(kind, week))
  }

  const read = async (): Promise<EndedDetails> => {
    const began = now()
    const rows = await retryTransient('ended details', () => store.endedDetails())
    for (const row of rows) noteEnded(row)
    readAt = began
    return known
  }

  return {
    endedDetails: () => {
      if (readAt !== null && now() - readAt < MAX_AGE_MS) return Promise.resolve(known)
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    },
    endDetails: async (ended) => {
      await retryTransient('ended details', () => store.endDetails(ended))
      noteEnded(ended)
    },
    noteEnded,
  }
}
