import { DETAIL_KINDS, type DetailKind, type WorkspaceId, weekOf } from '@tidings/domain'
import type { OpeningKeys, Pending } from './decode-event.ts'
import type { EventMeta } from './event-log.ts'
import type { EndedDetails } from './keys/ended-details.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { SubjectKeys, SubjectRef } from './keys/key-store.ts'
import { type Period, periodSubject } from './layers.ts'

const NO_DETAILS: OpeningKeys['details'] = new Map()
const NOTHING_ENDED: OpeningKeys['ended'] = new Set()

/** No keys, for an event whose reader does not look at its personal fields. */
export const NOT_OPENED: OpeningKeys = { subject: [], details: NO_DETAILS, ended: NOTHING_ENDED }

type Rings = Pick<KeyRing, 'cached' | 'load' | 'endedDetails'>

/** The key of each event, in their order; undefined for none. Asks the database at most once for keys, and seldom for what has ended. */
export async function gatherOpeningKeys(ring: Rings, items: readonly (Pending | null)[]): Promise<readonly (OpeningKeys | undefined)[]> {
  const sealed = items.map((item) => (item !== null && item.parsed.sealed !== null ? item : null))
  if (!sealed.some((item) => item !== null)) return items.map((item) => (item === null ? undefined : NOT_OPENED))
  const ended = sealed.some((item) => item?.path.ending !== undefined) ? await ring.endedDetails() : null
  const needs: (KeyNeed | null)[] = sealed.map(subjectOf)
  const details: Detail[] = []
  for (const [n, item] of sealed.entries()) if (item?.period) details.push(...detailsOf(item.parsed.meta, item.period, n))
  const keys = await gatherKeys(ring, [...needs, ...details.map(({ need }) => need)])
  const byEvent = Map.groupBy(
    details.map(({ n, kind }, at) => ({ n, kind, keys: keys[needs.length + at] ?? null })),
    ({ n }) => n,
  )
  return sealed.map((item, n) => {
    if (item === null) return items[n] === null ? undefined : NOT_OPENED
    return { subject: keys[n] ?? null, details: keyed(byEvent.get(n)), ended: ended === null ? NOTHING_ENDED : endedIn(ended, item) }
  })
}

const subjectOf = (item: Pending | null): KeyNeed | null => {
  const sealed = item?.parsed.sealed
  return sealed ? { workspaceId: item!.parsed.meta.workspaceId, subject: sealed.s, version: sealed.k } : null
}

/** `n`: of which event. */
type Detail = Readonly<{ n: number; kind: DetailKind; need: KeyNeed }>

const detailsOf = ({ workspaceId }: EventMeta, { week, kinds }: Period, n: number): readonly Detail[] =>
  kinds.map((kind) => ({
    n,
    kind,
    need: { workspaceId, subject: periodSubject(kind, week), version: null },
  }))

const keyed = (found: readonly Readonly<{ kind: DetailKind; keys: SubjectKeys | null }>[] | undefined): OpeningKeys['details'] =>
  found === undefined ? NO_DETAILS : new Map(found.map(({ kind, keys }) => [kind, keys]))

const endedIn = (ended: EndedDetails, { parsed: { meta }, path: { ending } }: Pending): OpeningKeys['ended'] => {
  const until = ending && ended.get(meta.workspaceId)
  if (!until) return NOTHING_ENDED
  const week = weekOf(meta.at)
  const kinds = DETAIL_KINDS.filter((kind) => until[kind] !== undefined && week < until[kind])
  return kinds.length === 0 ? NOTHING_ENDED : new Set(kinds)
}

/** The key that one event was sealed with; `version` is null where any may have sealed it. */
type KeyNeed = SubjectRef & Readonly<{ version: number | null }>

/** What a batch needs of one subject; `keys` are undefined while they must be loaded. */
type Subject = Readonly<{ ref: SubjectRef; places: number[] }> & { keys: SubjectKeys | null | undefined }

const suffices = (keys: SubjectKeys | null | undefined, version: number | null): boolean =>
  keys !== undefined && keys !== null && (version === null || keys.length === 0 || keys.some((key) => key.version === version))

/** The keys of each need, in their order (none for no need, null where the subject never had a key); asks the database at most once, and only for keys that are not cached. */
async function gatherKeys(
  keyRing: Readonly<{
    cached: (workspaceId: WorkspaceId, subject: string) => SubjectKeys | undefined
    load: (refs: readonly SubjectRef[]) => Promise<readonly (SubjectKeys | null)[]>
  }>,
  needs: readonly (KeyNeed | null)[],
): Promise<readonly (SubjectKeys | null)[]> {
  const subjects = new Map<string, Subject>()
  for (const [n, need] of needs.entries()) {
    if (!need) continue
    const name = `${need.workspaceId}/${need.subject}`
    let subject = subjects.get(name)
    if (subject === undefined) {
      subject = { ref: need, places: [], keys: keyRing.cached(need.workspaceId, need.subject) }
      subjects.set(name, subject)
    }
    subject.places.push(n)
    if (!suffices(subject.keys, need.version)) subject.keys = undefined
  }
  const missing = [...subjects.values()].filter(({ keys }) => keys === undefined)
  const loaded = missing.length === 0 ? [] : await keyRing.load(missing.map(({ ref }) => ref))
  for (const [n, subject] of missing.entries()) subject.keys = loaded[n] ?? null
  const gathered: (SubjectKeys | null)[] = needs.map(() => NONE)
  for (const { places, keys = null } of subjects.values()) for (const place of places) gathered[place] = keys
  return gathered
}

const NONE: SubjectKeys = []
