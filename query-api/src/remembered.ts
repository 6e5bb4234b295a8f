import type { WorkspaceId } from '@tidings/read-models'
import { LRUCache } from 'lru-cache'

/** `name`: of what is remembered, among all of the workspace. */
type Key = Readonly<{ workspaceId: WorkspaceId; name: string }>

export type Remembered<Value> = Readonly<{
  get: (key: Key) => Value | undefined
  /** `isCarriedOn`: the value was made of the one before, and ends when that would have. */
  set: (key: Key, value: Value, how: Readonly<{ isCarriedOn: boolean }>) => void
}>

/** A bound for what no counter shows, as rows that an operator has changed by hand. */
const LIFETIME_MS = 10 * 60_000

/** Remembers `each` values of at most `workspaces` workspaces: a workspace that asks for much displaces only its own. */
export function remembered<Value extends object>({ workspaces, each }: Readonly<{ workspaces: number; each: number }>): Remembered<Value> {
  const all = new LRUCache<string, LRUCache<string, Value>>({ max: workspaces })
  return {
    get: ({ workspaceId, name }) => all.get(workspaceId)?.get(name),
    set: ({ workspaceId, name }, value, { isCarriedOn }) => {
      const own = all.get(workspaceId) ?? new LRUCache<string, Value>({ max: each, ttl: LIFETIME_MS, ttlResolution: 0 })
      own.set(name, value, { noUpdateTTL: isCarriedOn })
      all.set(workspaceId, own)
    },
  }
}
