import type { AnalystEvent } from '../event.ts'
import type { AnalystProjection } from '../projection.ts'
import type { AnyTable } from '../table.ts'
import { TableRows } from './table-rows.ts'
import type { Change } from './table-sql.ts'

/** `apply` or `applyBatch` refused; `event` is the one, or the first of those that went together. */
export class ApplyFailed extends Error {
  override readonly name = 'ApplyFailed'
  readonly event: AnalystEvent
  readonly count: number
  constructor(cause: unknown, event: AnalystEvent, count = 1) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.event = event
    this.count = count
  }
}

/** Reads rows of one table, by key text; null for a key without a row. */
type LoadRows = (table: AnyTable, keys: ReadonlyMap<string, readonly unknown[]>) => Promise<ReadonlyMap<string, object | null>>

/** The changes of some batches, by table. */
export type Changes = readonly (readonly [AnyTable, readonly Change[]])[]

/** An event may ask for one row after the other, each named by the one before. */
const MAX_ROUNDS = 10_000

/** Folds batches in memory. It belongs to one connection: what it remembers of the tables is what that one wrote. */
export type Fold = Readonly<{
  fold: (events: readonly AnalystEvent[], load: LoadRows) => Promise<void>
  /** Gives the changes since it was last called; from now on that counts as in the tables. */
  drain: () => Changes
}>

export function createFold({ tables: named, apply }: AnalystProjection): Fold {
  const tables = Object.entries(named).map(([name, table]) => [name, new TableRows(table)] as const)
  const all = tables.map(([, rows]) => rows)
  const handles = Object.fromEntries(tables)
  const isMissing = (): boolean => all.some(({ missing }) => missing.size > 0)

  const applyOne = (event: AnalystEvent): void => {
    const result = apply?.(event, handles)
    if (result instanceof Promise) throw new TypeError('apply returned a promise: it must be synchronous, or be an applyBatch')
  }
  /**
   * Applies the events up to the first that needs a row from its table, and runs through the rest only to learn which rows they need.
   * Returns that first one's index; null when all are applied.
   */
  const applyFrom = (events: readonly AnalystEvent[], from: number): number | null => {
    let blocked: number | null = null
    for (let n = from; n < events.length; n++) {
      const event = events[n]!
      if (blocked === null) for (const rows of all) rows.mark()
      try {
        applyOne(event)
      } catch (error) {
        if (!isMissing()) throw new ApplyFailed(error, event)
      }
      if (blocked === null && isMissing()) blocked = n
    }
    if (blocked !== null) for (const rows of all) rows.takeBack()
    return blocked
  }
  const loadMissing = async (load: LoadRows): Promise<void> => {
    for (const rows of all) {
      if (rows.missing.size === 0) continue
      const keys = new Map(rows.missing)
      const found = await load(rows.table, keys)
      for (const [text, key] of keys) rows.load(text, { key, row: found.get(text) ?? null })
    }
  }
  return {
    fold: async (events, load) => {
      let from = applyFrom(events, 0)
      for (let round = 0; from !== null; round++) {
        if (round === MAX_ROUNDS) throw new ApplyFailed(new Error('apply asks for other rows each time that it runs'), events[from]!)
        await loadMissing(load)
        from = applyFrom(events, from)
      }
    },
    drain: () => all.map((rows) => [rows.table, rows.drain()] as const),
  }
}
