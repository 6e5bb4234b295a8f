import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { CreditHold, HoldOf, WalletState, WorkspaceId } from '@tidings/domain'

/** What one caller asks of a wallet. */
export type WalletItem = Readonly<
  { type: 'HoldCredits'; holds: readonly CreditHold[] } | { type: 'SettleHolds' | 'ReleaseHolds'; holds: readonly HoldOf[] }
>

/** Carries out all of the items; gives the state after each. */
type Run = (workspaceId: WorkspaceId, items: readonly WalletItem[]) => Promise<readonly WalletState[]>

type Waiting = Readonly<{ item: WalletItem; resolve: (state: WalletState) => void; reject: (error: unknown) => void }>

/**
 * Collects what is asked of one wallet, and carries it out together: one batch at a time, and `gapMs` between two. Idle, an item waits for the end of the
 * event loop's turn only. The gap is for the other processes, which write to the same stream: without it the one that wrote last would mostly be the next.
 */
export function createWalletBatches(run: Run, gapMs: number): (workspaceId: WorkspaceId, item: WalletItem) => Promise<WalletState> {
  const boxes = new Map<string, Waiting[]>()

  const runAll = async (workspaceId: WorkspaceId, batch: readonly Waiting[]): Promise<void> => {
    try {
      const states = await run(
        workspaceId,
        batch.map(({ item }) => item),
      )
      for (const [n, { resolve }] of batch.entries()) resolve(states[n]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const drain = async (workspaceId: WorkspaceId, box: Waiting[]): Promise<void> => {
    await setImmediate()
    while (box.length > 0) {
      await runAll(workspaceId, box.splice(0))
      await sleep(gapMs)
    }
    boxes.delete(workspaceId)
  }

  return (workspaceId, item) =>
    new Promise((resolve, reject) => {
      const box = boxes.get(workspaceId)
      if (box !== undefined) return void box.push({ item, resolve, reject })
      const first = [{ item, resolve, reject }]
      boxes.set(workspaceId, first)
      void drain(workspaceId, first)
    })
}
