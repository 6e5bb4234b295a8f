import type { KeyRing } from './keys/key-ring.ts'
import type { SubjectRef } from './keys/key-store.ts'
import type { SubjectKeys } from './keys/subject-key.ts'

/** The key that one event was sealed with; `version` is null where any may have sealed it. */
export type KeyNeed = SubjectRef & Readonly<{ version: number | null }>

/** What a batch needs of one subject; `keys` are undefined while they must be loaded. */
type Subject = Readonly<{ ref: SubjectRef; places: number[] }> & { keys: SubjectKeys | null | undefined }

const suffices = (keys: SubjectKeys | null | undefined, version: number | null): boolean =>
  keys !== undefined && keys !== null && (version === null || keys.length === 0 || keys.some((key) => key.version === version))

/** The keys of each need, in their order (none for no need, null where the subject never had a key); asks the database at most once, and only for keys that are not cached. */
export async function gatherKeys(
  keyRing: Pick<KeyRing, 'cached' | 'load'>,
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
