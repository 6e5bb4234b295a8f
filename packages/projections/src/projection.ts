import type { Recorded, TypeFilter } from '@tidings/codec'
import type { RowRange } from './row-range.ts'
import type { AnyTable, RowRef, Table } from './table.ts'

type AnyEvent = Readonly<{ type: string; data: unknown }>

/**
 * The rows of one batch, in memory. A fold may `get` what `reads` named for its event and what an earlier event of the batch wrote.
 * `all` are the rows of a range that `reads` named, as earlier events of the batch have left them.
 * `create` promises that the row does not exist yet (the first event of a stream): a rebuild inserts it without looking.
 */
export type Rows = Readonly<{
  get: <Row extends object>(table: Table<Row>, ...key: readonly string[]) => Row | undefined
  all: <Row extends object>(range: RowRange<Row>) => readonly Row[]
  create: <Row extends object>(table: Table<Row>, row: Row) => void
  put: <Row extends object>(table: Table<Row>, row: Row) => void
  delete: <Row extends object>(table: Table<Row>, ...key: readonly string[]) => void
  deleteAll: <Row extends object>(range: RowRange<Row>) => void
}>

/**
 * Events into rows: pure, synchronous, without side effects, so that live and rebuild are the same code.
 * An event type that is missing in `on` does not concern the projection.
 */
export type Projection<E extends AnyEvent = AnyEvent> = Readonly<{
  /** The main table's name; what `projection rebuild` and the read-your-writes wait call it. */
  name: string
  /** Raise it when tables or folds change: the new version is built beside the old one and swapped in. */
  version: number
  tables: readonly AnyTable[]
  reads: (event: Recorded<E>) => readonly (RowRef | RowRange)[]
  on: { readonly [Type in E['type']]: (event: Recorded<Extract<E, { type: Type }>>, rows: Rows) => void }
  /** The types whose personal fields, or `erased`, it looks at: only these are decrypted for it. Default: all. */
  personal?: readonly E['type'][]
  /**
   * The category of streams (their names begin with it and a hyphen) that has all its events. Every row is read and written by events of one
   * stream only, but for rows of tables that add: then a rebuild may fold one stream after the other, and some of them in each of several threads.
   * Default: none, the log must be folded in its order.
   */
  byStream?: string
  /**
   * Whether no caller waits to see the event: it may be shown a moment later, in one batch with what follows it. A row that both change is then written
   * once. Default: false of every event.
   */
  isPatient?: (event: Recorded<E>) => boolean
  /** What an event that cannot be applied does: park its stream and go on (default), or stop the projection (money). */
  onPoison?: 'park' | 'stop'
}>

/** A projection as the runtime sees it: which events concern it, and one fold for all of them. */
export type AnyProjection = Readonly<{
  name: string
  version: number
  tables: readonly AnyTable[]
  types: ReadonlySet<string>
  filter: TypeFilter & Readonly<{ types: readonly string[] }>
  reads: (event: Recorded) => readonly (RowRef | RowRange)[]
  fold: (event: Recorded, rows: Rows) => void
  byStream: string | null
  isPatient: (event: Recorded) => boolean
  onPoison: 'park' | 'stop'
}>

/** The one place where the events' types are let go: `fold` finds the handler by the type that the event carries. */
export function defineProjection<E extends AnyEvent>(projection: Projection<E>): AnyProjection {
  const handlers = new Map(Object.entries(projection.on)) as Map<string, (event: Recorded, rows: Rows) => void>
  return {
    name: projection.name,
    version: projection.version,
    tables: projection.tables,
    types: new Set(handlers.keys()),
    filter: { types: [...handlers.keys()], personal: projection.personal ?? [...handlers.keys()] },
    reads: projection.reads as AnyProjection['reads'],
    fold: (event, rows) => handlers.get(event.type)?.(event, rows),
    byStream: projection.byStream ?? null,
    isPatient: (projection.isPatient ?? (() => false)) as AnyProjection['isPatient'],
    onPoison: projection.onPoison ?? 'park',
  }
}
