import type { Position } from '@tidings/event-store'
import type { ClientBase } from 'pg'

/**
 * Where a reader stands, for whoever handles what it read. `move` writes the new place inside the effect's transaction and throws `Fenced`
 * where that would not be exactly once; `moved` says that it is committed.
 */
export type Cursor = Readonly<{
  at: () => Position
  move: (tx: ClientBase, to: Position) => Promise<void>
  moved: (to: Position) => void
}>
