import type { Position } from '@tidings/event-store'
import type { ClientBase, Pool } from 'pg'
import type { Effect } from './effect.ts'

/**
 * A reader's position. `move` writes the new position inside the effect's transaction and throws `Fenced` where that would not be exactly
 * once; `moved` is called after the commit. `moveWith` writes position and effect in one statement, and answers the effect's value.
 */
export type Cursor = Readonly<{
  at: () => Position
  move: (tx: ClientBase, to: Position) => Promise<void>
  moveWith?: (pool: Pool, to: Position, effect: Effect) => Promise<unknown>
  moved: (to: Position) => void
}>
