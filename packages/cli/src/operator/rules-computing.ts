import { type ListEvent, listStream, type WorkspaceId } from '@tidings/domain'
import { rulesComputed } from '@tidings/service/stores'
import type { Operator } from './with-operator.ts'

type OfWorkspace = Readonly<{ workspaceId: WorkspaceId; lists: Readonly<Record<string, string>> }>

/** The names of the lists whose newest rule has not reached every contact yet (M44). `lists`: ids by name. */
export async function rulesComputing({ stores: { log, pool } }: Operator, { workspaceId, lists }: OfWorkspace): Promise<readonly string[]> {
  const versions = new Map<string, number>()
  for (const [name, listId] of Object.entries(lists)) {
    const events = await log.readStream<ListEvent>(workspaceId, listStream(workspaceId, listId))
    const changed = events.findLast(({ type }) => type === 'ListRuleChanged')
    if (changed?.type === 'ListRuleChanged') versions.set(name, changed.data.version)
  }
  if (versions.size === 0) return []
  const computed = await rulesComputed(pool, workspaceId)
  return [...versions].flatMap(([name, version]) => ((computed.get(lists[name] ?? '') ?? 0) < version ? [name] : []))
}
