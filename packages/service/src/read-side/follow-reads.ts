import { OperationFailed } from '@tidings/config'
import type { Position } from '@tidings/event-store'
import { createProgress } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import type { Stores } from '../stores/open-stores.ts'
import { isServed } from './settle.ts'
import { untilVisible } from './until-visible.ts'

/** `shown` resolves when reads show the position; one sentence after 30 s. */
type FollowedReads = Readonly<{ shown: (position: Position) => Promise<void>; stop: () => Promise<void> }>

const LONGEST_MS = 30_000

/** For a command that writes much: it waits for the reads as it goes. Where no process follows the projections, this one does until `stop`. */
export async function followReads(stores: Stores): Promise<FollowedReads> {
  const own = (await isServed(stores)) ? null : startProjectors({ log: stores.log, pool: stores.workPool, progress: createProgress() })
  return {
    shown: async (position) => {
      if (await untilVisible(stores.pool, position, { timeoutMs: LONGEST_MS, ...(own && { progress: own.progress }) })) return
      throw new OperationFailed(
        'It is written up to here, but the read side has not shown it within 30 s: see `tidings projection list`, and call it again to go on.',
      )
    },
    stop: async () => own?.stop(),
  }
}
