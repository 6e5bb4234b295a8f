import { createBatchLoader, createGenerations } from '@tidings/async'
import { parseTraceParent, type TraceContext, traceParentOf } from './trace-context.ts'

type LookUp = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** An entry takes some 200 bytes. */
const MAX_BYTES = 4 * 1024 * 1024
const ENTRY_BYTES = 200
const AGE_MS = 60_000
const MAX_IDS = 1_000
/** Work never waits longer to learn its trace: it goes on without. It asks the database that it needs itself. */
const WAIT_MS = 5_000

/** The traces that events and messages belong to: those that this process has met lately, and those that its database has. */
export function keptContexts(waitMs: number = WAIT_MS) {
  const lately = createGenerations<string>({ maxBytes: MAX_BYTES, ageMs: AGE_MS, sizeOf: () => ENTRY_BYTES })
  let lookUp: LookUp = async () => new Map()
  const load = createBatchLoader({
    maxKeys: MAX_IDS,
    load: (ids: readonly string[]) => lookUp(ids),
    pick: (found: ReadonlyMap<string, string>, id: string) => found.get(id) ?? null,
  })
  const textOf = async (id: string): Promise<string | null> => {
    const known = lately.get(id)
    if (known !== undefined) return known
    const text = await load(id)
    if (text !== null) lately.set(id, text)
    return text
  }
  const firstOf = async (ids: readonly string[]): Promise<string | null> =>
    (await Promise.all(ids.map(textOf))).find((text) => text !== null) ?? null
  return {
    lookIn: (by: LookUp): void => {
      lookUp = by
    },
    remember: (ids: readonly string[], context: TraceContext): void => {
      const text = traceParentOf(context)
      // A message belongs to where it was accepted, whatever became of it since; so it is in the database.
      for (const id of ids) if (lately.get(id) === undefined) lately.set(id, text)
    },
    contextOf: async (ids: readonly string[]): Promise<TraceContext | null> => {
      const [first = ''] = ids
      const known = lately.get(first)
      if (known !== undefined) return parseTraceParent(known)
      const { promise: late, resolve } = Promise.withResolvers<null>()
      const timer = setTimeout(resolve, waitMs, null)
      // Without a database nothing is recorded of the work; what needs it says so itself.
      const text = await Promise.race([firstOf(ids).catch(() => null), late])
      clearTimeout(timer)
      return parseTraceParent(text)
    },
  }
}
