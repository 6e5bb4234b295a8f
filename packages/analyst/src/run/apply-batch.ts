import type { DecodedBatch } from '@tidings/codec'
import { comparePositions, type Position } from '@tidings/event-store'
import { isTransient } from '@tidings/postgres'
import type { AnalystEvent } from '../event.ts'
import type { AnalystProjection } from '../projection.ts'
import { type Move, moveCheckpoint } from './checkpoint.ts'
import { ApplyFailed, createFold } from './fold.ts'
import { commitChanges, inTransaction, loadRows, type Session } from './session.ts'
import { statements } from './statement.ts'
import type { View } from './view-event.ts'

/** Applies batches of the log in their order, each once. `settle` resolves when all of them are in the tables. */
export type Applier = Readonly<{
  apply: (batch: DecodedBatch) => Promise<void>
  settle: () => Promise<void>
}>

type Write = (events: readonly AnalystEvent[], from: Position, to: Position) => Promise<void>

/** Batches without an event of the projection move only what this process knows, until there is one or so many. */
const EMPTY_BATCHES = 50

/** A transaction costs four statements and the wait for the disk. */
const BATCHES_A_COMMIT = 4

type Folded = Move & Readonly<{ batches: number }>

/** The rows of some batches are written while the next one is folded: what that has to read waits for them. */
const foldWrite = (session: Session, projection: AnalystProjection) => {
  const { fold, drain } = createFold(projection)
  let writing: Promise<void> = Promise.resolve()
  let folded: Folded | null = null
  const flush = async (move: Move): Promise<void> => {
    folded = null
    await writing
    writing = commitChanges(session, drain(), move)
    writing.catch(() => undefined) // awaited before the next is written, and at the end
  }
  const write: Write = async (events, from, to) => {
    const before = folded
    folded = null // a batch that fails leaves nothing that may be written
    await fold(events, async (table, keys) => {
      await writing
      return await loadRows(session, table, keys)
    })
    const { from: begun, events: count, batches } = before ?? { from, events: 0, batches: 0 }
    folded = { from: begun, to, events: count + events.length, batches: batches + 1 }
    if (folded.batches === BATCHES_A_COMMIT) await flush(folded)
  }
  const settle = async (): Promise<void> => {
    if (folded !== null) await flush(folded)
    await writing
  }
  return { write, settle }
}

/** `applyBatch` and the checkpoint's move; a transaction that its SQL broke cannot be committed, because the move is last. */
const sqlWrite = (session: Session, { applyBatch }: AnalystProjection) => {
  const write: Write = async (events, from, to) => {
    const { sql, end } = statements(session.client)
    await inTransaction(session.client, async () => {
      try {
        if (events.length > 0) await applyBatch?.(events, sql)
      } catch (error) {
        throw isTransient(error) ? error : new ApplyFailed(error, events[0]!, events.length)
      } finally {
        end()
      }
      await moveCheckpoint(session.client, session.schema, { from, to, events: events.length })
    })
  }
  return { write, settle: async () => undefined }
}

export function createApplier(session: Session, projection: AnalystProjection, view: View): Applier {
  let begun = session.position
  let empty = 0
  const { write, settle } = projection.apply === null ? sqlWrite(session, projection) : foldWrite(session, projection)
  return {
    apply: async ({ events, to, caughtUp }) => {
      empty = events.length === 0 ? empty + 1 : 0
      const isDue = events.length > 0 || (comparePositions(to, begun) > 0 && (caughtUp || empty >= EMPTY_BATCHES))
      if (!isDue) return
      await write(events.map(view), begun, to)
      begun = to
      empty = 0
    },
    settle,
  }
}
