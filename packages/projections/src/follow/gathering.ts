import type { DecodedBatch } from '@tidings/codec'
import { applyBatch, passBatch, patientEvents, type Session } from './session.ts'

/** The longest time until a patient event is seen: in a campaign, most messages have their outcome by then. */
const GATHER_MS = 200
/** So many patient events are applied at once: what a caller waits for may come right behind them. */
const MAX_GATHERED = 500

/** `take` resolves when the batch is applied, or is gathered. `flush` applies what is gathered. `end` drops it: the checkpoint is before it. */
export type Gathering = Readonly<{ take: (batch: DecodedBatch) => Promise<void>; flush: () => Promise<void>; end: () => void }>

/**
 * Applies the batches of a session in their order. At the end of the log, patient events wait a moment for others, unless a caller waits for the projection
 * (`isAwaited`). `onLate`: what was gathered is to be flushed. Behind a batch that failed none is applied: the checkpoint would move past it.
 */
export function createGathering(session: Session, isAwaited: () => boolean, onLate: () => void): Gathering {
  let held: DecodedBatch | null = null
  let count = 0
  let timer: NodeJS.Timeout | undefined
  let failure: Readonly<{ error: unknown }> | null = null
  const throwFailure = (): void => {
    if (failure !== null) throw failure.error
  }
  const apply = async (batch: DecodedBatch): Promise<void> => {
    throwFailure()
    try {
      await applyBatch(session, batch)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  const drop = (): DecodedBatch | null => {
    const batch = held
    clearTimeout(timer)
    timer = undefined
    held = null
    count = 0
    return batch
  }
  const flush = async (): Promise<void> => {
    const batch = drop()
    if (batch !== null) await session.queue(() => apply(batch))
  }
  return {
    flush,
    end: drop,
    take: async (batch) => {
      throwFailure()
      if (held === null && passBatch(session, batch)) return
      const patient = patientEvents(session, batch)
      held = held === null ? batch : { ...batch, events: held.events.concat(batch.events) }
      count += patient ?? 0
      if (patient === null || count >= MAX_GATHERED || !batch.caughtUp || isAwaited()) return await flush()
      timer ??= setTimeout(onLate, GATHER_MS)
    },
  }
}
