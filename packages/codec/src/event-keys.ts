import { type WorkspaceId, weekOf } from '@tidings/domain'
import type { EventKeys, Prepared } from './encode.ts'
import { SubjectErased } from './errors.ts'
import type { SubjectKey, SubjectKeys } from './keys/key-store.ts'
import { periodSubject } from './layers.ts'

const NONE: readonly SubjectKey[] = []

type Ring = Readonly<{
  cached: (workspaceId: WorkspaceId, subject: string) => SubjectKeys | undefined
  keyFor: (workspaceId: WorkspaceId, subject: string) => Promise<SubjectKey>
}>
type Context = Readonly<{ workspaceId: WorkspaceId; at: string }>

/** The keys that an event is sealed with, without a promise where they are cached. Throws `SubjectErased` and `SubjectKeyMissing` for its subject. */
export function keysOf(keyRing: Ring, event: Prepared, context: Context): EventKeys | Promise<EventKeys> {
  return cachedKeys(keyRing, event, context) ?? loadedKeys(keyRing, event, context)
}

/** Null where one is not cached. */
const cachedKeys = (keyRing: Ring, { subject, ending }: Prepared, { workspaceId, at }: Context): EventKeys | null => {
  const key = keyRing.cached(workspaceId, subject ?? '')?.[0]
  if (key === undefined) return null
  if (ending.length === 0) return { subject: key, week: '', details: NONE }
  const week = weekOf(at)
  const details: (SubjectKey | null)[] = []
  for (const { kind } of ending) {
    const cached = keyRing.cached(workspaceId, periodSubject(kind, week))
    if (cached === undefined) return null
    details.push(cached[0] ?? null)
  }
  return { subject: key, week, details }
}

const loadedKeys = async (keyRing: Ring, { subject, ending }: Prepared, { workspaceId, at }: Context): Promise<EventKeys> => {
  const key = await keyRing.keyFor(workspaceId, subject ?? '')
  if (ending.length === 0) return { subject: key, week: '', details: NONE }
  const week = weekOf(at)
  const details: (SubjectKey | null)[] = []
  for (const { kind } of ending) details.push(await periodKey(keyRing, workspaceId, periodSubject(kind, week)))
  return { subject: key, week, details }
}

/** Null where the week has ended, as for a command that is repeated very late: its details are not kept. */
const periodKey = async (keyRing: Ring, workspaceId: WorkspaceId, name: string): Promise<SubjectKey | null> => {
  try {
    return await keyRing.keyFor(workspaceId, name)
  } catch (error) {
    if (error instanceof SubjectErased) return null
    throw error
  }
}
