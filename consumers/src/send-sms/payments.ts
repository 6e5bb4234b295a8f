import type { MessageId, WorkspaceId } from '@tidings/domain'
import { Fenced } from '@tidings/jobs'
import type { Wallets } from '@tidings/wallet'

/** `reconcile` ends the open holds of these messages as the log says. `onFault` hears why a hold was not ended: the sweep ends it. */
export type PaymentsOptions = Readonly<{
  wallets: Pick<Wallets, 'hold' | 'settle' | 'release' | 'isCrowded'>
  reconcile: (workspaceId: WorkspaceId, messageIds: readonly MessageId[]) => Promise<unknown>
  onFault: (error: unknown) => void
}>

/** The hold of one attempt for one message. Ending it never rejects: a hold that stays open is ended by the sweep, by what the log says. */
export type Payment = Readonly<{
  /** The provider accepted the message, and the log says so. */
  settle: () => Promise<void>
  /** The provider did not. Only for the holder of the lease: a later hold of this attempt may have taken over that of the one that sends now. */
  release: (lease: Readonly<{ ensure: (ms: number) => Promise<void> | undefined }>) => Promise<void>
  /**
   * The message waits for another try, which takes the hold over: until its outcome it is the message's (M58). Only a wallet that is full of holds
   * gets it back, so that those that wait keep no other message and no passcode from being paid.
   */
  putOff: (lease: Readonly<{ ensure: (ms: number) => Promise<void> | undefined }>) => Promise<void>
  /** The log has more to say than this attempt. */
  reconcile: () => Promise<void>
}>

type Order = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; amount: number; holder: string }>

/** Pays for text messages. `hold` rejects where it is not known whether the credits are held. */
export type Payments = Readonly<{ hold: (order: Order) => Promise<Payment | 'insufficient_credits' | 'busy'> }>

/** Payments from the wallets of workspaces. */
export function createPayments({ wallets, reconcile, onFault }: PaymentsOptions): Payments {
  const unlessFailed = async (ending: Promise<unknown>): Promise<void> => {
    await ending.catch(onFault)
  }
  return {
    hold: async ({ workspaceId, messageId, amount, holder }) => {
      const results = await wallets.hold({ workspaceId, holder, messages: [{ messageId, amount }] })
      const result = results.get(messageId) ?? 'busy'
      if (result !== 'held') return result
      const ending = { workspaceId, holds: [{ messageId, holder }] }
      const releaseIfCrowded = async (lease: Readonly<{ ensure: (ms: number) => Promise<void> | undefined }>): Promise<void> => {
        if (await wallets.isCrowded(workspaceId)) await releaseIfOurs(lease, () => wallets.release(ending))
      }
      return {
        settle: () => unlessFailed(wallets.settle(ending)),
        release: (lease) => unlessFailed(releaseIfOurs(lease, () => wallets.release(ending))),
        putOff: (lease) => unlessFailed(releaseIfCrowded(lease)),
        reconcile: () => unlessFailed(reconcile(workspaceId, [messageId])),
      }
    },
  }
}

/** Long enough to write the end of the hold; nothing depends on it. */
const ENDING_MS = 1_000

const releaseIfOurs = async (
  lease: Readonly<{ ensure: (ms: number) => Promise<void> | undefined }>,
  release: () => Promise<void>,
): Promise<void> => {
  try {
    await lease.ensure(ENDING_MS)
  } catch (error) {
    if (error instanceof Fenced) return
    throw error
  }
  await release()
}
