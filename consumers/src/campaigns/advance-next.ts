import { Fenced, whileLeased } from '@tidings/jobs'
import { ReadSideBehind } from '@tidings/projections'
import { advance } from './advance.ts'
import type { CampaignWork } from './campaign-work.ts'
import { forgetRun, giveBack, type OwnedRun, runLeases, takeDue } from './run-table.ts'

/** The wait after a fault of one campaign, so that it does not take the turns of the others. */
export const AFTER_FAULT_MS = 1_000
/** A wait for the read side takes 2 s, and less where it is away. */
const BEHIND_MS = 500

/** `onLater`: the campaign is due again in so many milliseconds. */
type Advancing = Readonly<{ owner: string; signal: AbortSignal; onFault: (error: unknown) => void; onLater?: (ms: number) => void }>

/** Does the next thing of the campaign that has waited longest; false where none is due. */
export async function advanceNext(work: CampaignWork, advancing: Advancing): Promise<boolean> {
  const owned = await takeDue(work.pool, advancing.owner, work.now())
  if (owned === null) return false
  await advanceOwned(work, owned, advancing)
  return true
}

const advanceOwned = async (work: CampaignWork, owned: OwnedRun, { signal, onFault, onLater }: Advancing): Promise<void> => {
  const { pool } = work
  const leased = { leaseMs: runLeases.leaseMs, renew: () => runLeases.renew(pool, owned.lease), signal }
  try {
    const next = await whileLeased(leased, (ending) => advance(work, owned, ending))
    if (next === 'over') return await forgetRun(pool, owned)
    await giveBack(pool, owned, next)
    if (next.dueAt !== null) onLater?.(next.dueAt - work.now())
  } catch (error) {
    // Another process has it, and goes on.
    if (error instanceof Fenced) return
    if (error instanceof ReadSideBehind) return await giveBack(pool, owned, { dueAt: work.now() + BEHIND_MS })
    onFault(error)
    await giveBack(pool, owned, { dueAt: work.now() + AFTER_FAULT_MS })
  }
}
