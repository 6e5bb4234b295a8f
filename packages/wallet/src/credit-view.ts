import type { StateLoader } from '@tidings/commands'
import { availableCredits, type WalletEvent, type WorkspaceId, wallet, walletDeclarations, walletStream } from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

type Credits = Readonly<{ balance: number; held: number }>

/**
 * What can be spent in each workspace, as a process that follows the log knows it: for a check before a message is accepted. It may be
 * milliseconds old; only `hold` decides. Needs a follower, else each question is a read.
 */
export type CreditView = LogView &
  Readonly<{
    /** The credits that are neither spent nor held (G43); without a promise if the wallet is known. */
    available: (workspaceId: WorkspaceId) => number | Promise<number>
    /** The balance as the log has it now, read even if it is known. Callers that ask at once share a read. */
    availableNow: (workspaceId: WorkspaceId) => Promise<number>
  }>

/** Two numbers each: less than 4 MB. */
const MAX_WALLETS = 10_000

export function createCreditView(commands: StateLoader): CreditView {
  const read = async (workspaceId: WorkspaceId, stream: string) => {
    const { state, revision } = await commands.load({ decider: wallet, stream, workspaceId })
    return { state: creditsOf(state), revision }
  }
  const types = Object.keys(walletDeclarations) as WalletEvent['type'][]
  const initial = { balance: 0, held: 0 }
  const states = createFollowedStates<WalletEvent, Credits>({ log: { read }, types, initial, evolve, max: MAX_WALLETS })
  return {
    ...states,
    available: (workspaceId) => {
      const state = states.get(workspaceId, walletStream(workspaceId))
      return state instanceof Promise ? state.then(availableCredits) : availableCredits(state)
    },
    availableNow: async (workspaceId) => availableCredits(await states.readNow(workspaceId, walletStream(workspaceId))),
  }
}

const creditsOf = ({ balance, held }: Credits): Credits => ({ balance, held })

const sumOf = (holds: readonly Readonly<{ amount: number }>[]): number => holds.reduce((sum, { amount }) => sum + amount, 0)

function evolve({ balance, held }: Credits, event: WalletEvent): Credits {
  switch (event.type) {
    case 'CreditsAdded':
      return { balance: balance + event.data.amount, held }
    case 'CreditsHeld':
      return { balance, held: held + sumOf(event.data.holds) }
    case 'CreditsSettled': {
      const spent = sumOf(event.data.holds)
      return { balance: balance - spent, held: held - spent }
    }
    case 'CreditsReleased':
      return { balance, held: held - sumOf(event.data.holds) }
    case 'CreditHoldsTakenOver':
      return { balance, held }
    case 'BalanceCarriedForward':
      return { balance: event.data.balance, held: sumOf(event.data.holds) }
    default:
      return event satisfies never
  }
}
