import type { StateLoader } from '@tidings/commands'
import { availableCredits, type WorkspaceId, wallet, walletStream } from '@tidings/domain'

/** The balance as the log has it now: one is never shown from a read model. */
export async function balanceOf(
  commands: StateLoader,
  workspaceId: WorkspaceId,
): Promise<Readonly<{ balance: number; held: number; available: number }>> {
  const { state } = await commands.load({ decider: wallet, stream: walletStream(workspaceId), workspaceId })
  return { balance: state.balance, held: state.held, available: availableCredits(state) }
}
