import { weekOf } from '@tidings/domain'
import type { EventKeys, Prepared } from './encode.ts'
import { SubjectErased } from './errors.ts'
import type { AppendContext } from './event-log.ts'
import type { KeyRing, SubjectKey } from './keys/key-ring.ts'
import { periodSubject } from './layers.ts'

const NONE: readonly SubjectKey[] = []

/** The keys that an event is sealed with. Throws `SubjectErased` and `SubjectKeyMissing` for its subject. */
export async function keysOf(
  keyRing: Pick<KeyRing, 'cached' | 'keyFor'>,
  { subject, ending }: Prepared,
  { workspaceId, at }: Pick<AppendContext, 'workspaceId' | 'at'>,
): Promise<EventKeys> {
  const name = subject ?? ''
  const key = keyRing.cached(workspaceId, name)?.[0] ?? (await keyRing.keyFor(workspaceId, name))
  if (ending.length === 0) return { subject: key, week: '', details: NONE }
  const week = weekOf(at)
  const details: (SubjectKey | null)[] = []
  for (const { kind } of ending) details.push(await periodKey(keyRing, workspaceId, periodSubject(kind, week)))
  return { subject: key, week, details }
}

/** Null where the week has ended, as for a command that is repeated very late: its details are not kept. */
const periodKey = async (keyRing: Pick<KeyRing, 'cached' | 'keyFor'>, workspaceId: string, name: string): Promise<SubjectKey | null> => {
  const cached = keyRing.cached(workspaceId, name)
  if (cached !== undefined) return cached[0] ?? null
  try {
    return await keyRing.keyFor(workspaceId, name)
  } catch (error) {
    if (error instanceof SubjectErased) return null
    throw error
  }
}
