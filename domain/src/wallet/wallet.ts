import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/**
 * `amount`: whole credits, at least one. `commandId`: of the command that added them; null where a repetition of it could add nothing.
 * `note`: the operator's words, which may name a person: sealed since version 3.
 */
type CreditsAdded = Event<'CreditsAdded', { commandId: string | null; amount: number; note: string | null }>
export type WalletEvent = CreditsAdded

/** Keys belong to a workspace, and so does a wallet: one subject. */
const walletSubject = (): string => 'wallet:notes'

export const walletDeclarations = {
  CreditsAdded: { version: 3, personal: { subject: walletSubject, fields: ['note'] } },
} satisfies EventDeclarations & Record<WalletEvent['type'], unknown>

/**
 * `balance`: credits that are not spent; `held` of them are set aside for messages on their way. `credited`: some were ever added.
 * `recent`: the last commands that changed the wallet, oldest first.
 */
type WalletState = Readonly<{ balance: number; held: number; credited: boolean; recent: readonly string[] }>

/** `commandId` is the same however often the command is tried. */
type AddCredits = Command<'AddCredits', CreditsAdded['data'] & { commandId: string }>
/** Adds the credits to a wallet that never had any. */
type FillNewWallet = Command<'FillNewWallet', { amount: number }>
export type WalletCommand = AddCredits | FillNewWallet

/** More than is ever bought, and far below the largest exact integer. */
export const MAX_BALANCE = 1_000_000_000_000

/**
 * How many commands a wallet remembers: 20 KB. No other part does so reliably: Postgres refuses an event id that it has, but EventStoreDB
 * recognises one only at the revision that the append expects, and a process only the last that it read or wrote of a stream.
 */
export const REMEMBERED_COMMANDS = 256

/** One wallet a workspace. */
export function walletStream(workspaceId: string): string {
  return `wallet-${workspaceId}`
}

const decide = (command: WalletCommand, state: WalletState): readonly WalletEvent[] => {
  switch (command.type) {
    case 'AddCredits':
      return state.recent.includes(command.data.commandId) ? [] : add(command.data, state)
    case 'FillNewWallet':
      return state.credited || command.data.amount === 0 ? [] : add({ commandId: null, ...command.data, note: null }, state)
    default:
      return command satisfies never
  }
}

const add = (data: CreditsAdded['data'], { balance }: WalletState): readonly WalletEvent[] => {
  if (!Number.isInteger(data.amount) || data.amount < 1) throw new Refused('credits_not_positive')
  if (balance + data.amount > MAX_BALANCE) throw new Refused('wallet_full')
  return [{ type: 'CreditsAdded', data }]
}

const evolve = (state: WalletState, { data: { amount, commandId } }: WalletEvent): WalletState => ({
  ...state,
  balance: state.balance + amount,
  credited: true,
  recent: commandId === null ? state.recent : [...state.recent, commandId].slice(-REMEMBERED_COMMANDS),
})

/** The SMS credits of a workspace: neither what is spent nor what is held ever makes the balance negative. */
export const wallet: Decider<WalletCommand, WalletEvent, WalletState> = {
  decide,
  evolve,
  initialState: { balance: 0, held: 0, credited: false, recent: [] },
  hot: true,
}
