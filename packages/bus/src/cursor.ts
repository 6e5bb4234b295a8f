import type { Position } from '@tidings/event-store'
import type { ClientBase } from 'pg'

/**
 * A reader's position. `move` writes the new position inside the effect's transaction and throws `Fenced` where that would not be exactly
 * once; `moved` is called after the commit.
 */
export type Cursor = Readonly<{
  at: () => Position
  move: (tx: ClientBase, to: Position) => Promise<void>
  moved: (to: Position) => void
}>
