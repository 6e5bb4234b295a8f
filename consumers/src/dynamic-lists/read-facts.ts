import { entriesUpTo } from '@tidings/async'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { type ChangedFact, factKey, listsReading } from './rule-table.ts'

/** Whether rules read facts, without a statement for what was looked up before. */
export type ReadFacts = Readonly<{
  /** Whether a rule reads one of these facts. */
  haveAny: (facts: readonly ChangedFact[]) => Promise<boolean>
  /** Forgets everything: rules have changed, or another process may have changed them. */
  clear: () => void
}>

/** Some 200 bytes each. */
const MAX_FACTS = 5_000

/** Truthful only in the process that alone writes the rules. Elsewhere `isShared` has each look read the table. */
export function createReadFacts(pool: Pool, isShared: boolean): ReadFacts {
  const known = new LRUCache<string, boolean>(entriesUpTo(MAX_FACTS))
  let cleared = 0

  const lookUp = async (facts: readonly ChangedFact[]): Promise<boolean> => {
    const before = cleared
    const read = await listsReading(pool, facts)
    if (!isShared && cleared === before) for (const fact of facts) known.set(factKey(fact), read.has(factKey(fact)))
    return read.size > 0
  }

  return {
    haveAny: async (facts) => {
      if (facts.some((fact) => known.get(factKey(fact)))) return true
      const unknown = facts.filter((fact) => !known.has(factKey(fact)))
      return unknown.length > 0 && (await lookUp(unknown))
    },
    clear: () => {
      cleared++
      known.clear()
    },
  }
}
