import { type DetailKind, type WorkspaceId, weeksBefore } from '@tidings/domain'
import { periodSubject } from '../layers.ts'
import { retryTransient } from '../retry-transient.ts'
import type { EndedRow, KeyStore } from './key-store.ts'

/** The Monday before which all weeks have ended, by workspace and kind. */
export type EndedDetails = ReadonlyMap<string, Readonly<Partial<Record<DetailKind, string>>>>

export type Retention = Readonly<{
  /** What retention has ended, as this process knows it: at most a minute old, and as new as what `noteEnded` gave it. */
  endedDetails: () => Promise<EndedDetails>
  /** Ends details durably, for ever: marks the weeks before `until` as ended and destroys their keys. An earlier `until` takes nothing back. */
  endDetails: (ended: EndedRow) => Promise<void>
  /** Takes over what another process has ended, and drops what is cached of it. */
  noteEnded: (ended: EndedRow) => void
}>

/** `drop`: what is cached of a subject; `dropped` is called once behind all of these. */
type Settings = Readonly<{
  store: KeyStore
  drop: (workspaceId: WorkspaceId, subject: string) => void
  dropped: () => void
  now: () => number
}>

const MAX_AGE_MS = 60_000
const WEEK_MS = 7 * 86_400_000
/** No reader opens a week that has ended, whatever is cached: older keys may stay for the five minutes that they have. */
const DROPPED_WEEKS = 10

/** What has ended in all workspaces: a few rows each, read as a whole. */
export function createRetention({ store, drop, dropped, now }: Settings): Retention {
  const known = new Map<string, Partial<Record<DetailKind, string>>>()
  let readAt: number | null = null
  let reading: Promise<EndedDetails> | undefined

  /** The end that was known before; null where this one is not new. */
  const noted = ({ workspaceId, kind, until }: EndedRow): string | null => {
    const of = known.get(workspaceId)
    const before = of?.[kind] ?? ''
    if (before >= until) return null
    known.set(workspaceId, { ...of, [kind]: until })
    return before
  }

  const noteAll = (rows: readonly EndedRow[]): void => {
    let isNew = false
    for (const row of rows) {
      const before = noted(row)
      if (before === null) continue
      isNew = true
      for (const week of weeksBetween(before, row.until)) drop(row.workspaceId, periodSubject(row.kind, week))
    }
    if (isNew) dropped()
  }

  /** The first time, all ends there ever were: dropping the keys of each, which are hardly cached yet, would delay everything else. */
  const read = async (): Promise<EndedDetails> => {
    const began = now()
    const rows = await retryTransient('ended details', () => store.endedDetails())
    if (readAt !== null) noteAll(rows)
    else if (rows.filter((row) => noted(row) !== null).length > 0) dropped()
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
      noteAll([ended])
    },
    noteEnded: (ended) => noteAll([ended]),
  }
}

/** The newest of the weeks from one Monday on, before another. */
const weeksBetween = (from: string, until: string): readonly string[] => {
  const weeks = (Date.parse(until) - Date.parse(from)) / WEEK_MS
  return weeksBefore(until, Number.isNaN(weeks) ? DROPPED_WEEKS : Math.min(Math.ceil(weeks), DROPPED_WEEKS))
}
