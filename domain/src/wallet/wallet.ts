import { type Command, type Decider, Refused } from '../kernel.ts'
import type { CreditsAdded, WalletEvent } from './wallet.events.ts'

/** `balance`: credits that are not spent; `held` of them are set aside for messages on their way. `credited`: some were ever added. */
export type WalletState = Readonly<{ balance: number; held: number; credited: boolean }>

export type AddCredits = Command<'AddCredits', CreditsAdded['data']>
/** Adds the credits where none were ever added. */
export type FillNewWallet = Command<'FillNewWallet', { amount: number }>
export type WalletCommand = AddCredits | FillNewWallet

/** More than anybody buys, and far below where numbers stop being exact. */
export const MAX_BALANCE = 1_000_000_000_000

/** One wallet a workspace. */
export const walletStream = (workspaceId: string): string => `wallet-${workspaceId}`

const decide = (command: WalletCommand, state: WalletState): readonly WalletEvent[] => {
  switch (command.type) {
    case 'AddCredits':
      return add(command.data, state)
    case 'FillNewWallet':
      return state.credited || command.data.amount === 0 ? [] : add({ ...command.data, note: null }, state)
    default:
      return command satisfies never
  }
}

const add = (data: CreditsAdded['data'], { balance }: WalletState): readonly WalletEvent[] => {
  if (!Number.isInteger(data.amount) || data.amount < 1) throw new Refused('credits_not_positive')
  if (balance + data.amount > MAX_BALANCE) throw new Refused('wallet_full')
  return [{ type: 'CreditsAdded', data }]
}

const evolve = (state: WalletState, { data: { amount } }: WalletEvent): WalletState => ({
  ...state,
  balance: state.balance + amount,
  credited: true,
})

/** The SMS credits of a workspace: neither what is spent nor what is held ever makes the balance negative. */
export const wallet: Decider<WalletCommand, WalletEvent, WalletState> = {
  decide,
  evolve,
  initialState: { balance: 0, held: 0, credited: false },
  hot: true,
}
