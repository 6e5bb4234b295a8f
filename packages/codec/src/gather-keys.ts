import type { KeyRing, SubjectKeys } from './keys/key-ring.ts'
import type { SubjectRef } from './keys/key-store.ts'

/** The key that one event was sealed with. */
export type KeyNeed = SubjectRef & Readonly<{ version: number }>

const suffices = (keys: SubjectKeys | undefined, version: number): keys is SubjectKeys =>
  keys !== undefined && (keys.length === 0 || keys.some((key) => key.version === version))

/** The keys of each need, in their order (none for null); asks the database at most once, and only for what is not at hand. */
export const gatherKeys = async (keyRing: KeyRing, needs: readonly (KeyNeed | null)[]): Promise<readonly SubjectKeys[]> => {
  const gathered: SubjectKeys[] = []
  const missing = new Map<string, { ref: SubjectRef; places: number[] }>()
  for (const [n, need] of needs.entries()) {
    const cached = need ? keyRing.cached(need.workspaceId, need.subject) : []
    gathered.push(cached ?? [])
    if (!need || suffices(cached, need.version)) continue
    const name = `${need.workspaceId}/${need.subject}`
    const entry = missing.get(name)
    if (entry) entry.places.push(n)
    else missing.set(name, { ref: need, places: [n] })
  }
  if (missing.size === 0) return gathered
  const wanted = [...missing.values()]
  const loaded = await keyRing.load(wanted.map(({ ref }) => ref))
  for (const [w, { places }] of wanted.entries()) for (const n of places) gathered[n] = loaded[w] ?? []
  return gathered
}
