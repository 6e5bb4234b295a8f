import { uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { ownValue, Refused, workspace, workspaceStream } from '@tidings/domain'

export type OverdueAddress = Readonly<{ workspaceId: string; addressId: string }>

type Expiring = Readonly<{
  runner: Pick<CommandRunner, 'load' | 'execute'>
  /** Pending addresses whose link has ended, as the read side shows them; at most so many. */
  overdue: (limit: number) => Promise<readonly OverdueAddress[]>
  now: () => string
}>

const PAGE = 500

/** Makes every address failed whose mailbox did not confirm it in time (M14). The log decides: the read side may be behind. */
export async function expireConfirmations({ runner, overdue, now }: Expiring, ending: AbortSignal): Promise<void> {
  for (const { workspaceId, addressId } of await overdue(PAGE)) {
    if (ending.aborted) return
    const stream = workspaceStream(workspaceId)
    const { state } = await runner.load({ decider: workspace, stream, workspaceId })
    const confirmation = ownValue(state.senderAddresses, addressId)?.confirmation
    if (!confirmation) continue
    const at = now()
    const command = {
      type: 'FailSenderConfirmation',
      data: { confirmationId: confirmation.confirmationId, reason: 'expired', at },
    } as const
    const context = { commandId: uuidv7(), workspaceId, actor: 'service', requestId: confirmation.confirmationId, at }
    await runner.execute({ decider: workspace, stream, command, context }).catch((error: unknown) => {
      // Asked again since.
      if (!(error instanceof Refused)) throw error
    })
  }
}
