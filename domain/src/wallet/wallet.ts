import { type Command, type Decider, Refused } from '../kernel.ts'
import type { CreditHold, CreditsAdded, WalletEvent } from './wallet.events.ts'
import { availableCredits, emptyWallet, evolveWallet, type WalletState } from './wallet-state.ts'

/** `commandId` is the same however often the command is tried. */
type AddCredits = Command<'AddCredits', CreditsAdded['data'] & { commandId: string }>
/** Adds the credits to a wallet that never had any. */
type FillNewWallet = Command<'FillNewWallet', { amount: number }>
/**
 * Sets credits aside for each message for which enough are available, in this order, and for no other: the state afterwards says for which. A message
 * has one hold at most: a later attempt takes over the one that is open.
 */
type HoldCredits = Command<'HoldCredits', { holds: readonly CreditHold[] }>
/** Spends, or makes available again, what the holder has set aside. A hold that is not open, or is another's, stays as it is. */
type EndHolds = Command<'SettleHolds' | 'ReleaseHolds', { holds: readonly HoldOf[] }>
export type WalletCommand = AddCredits | FillNewWallet | HoldCredits | EndHolds

/** Names one attempt's hold for a message. */
export type HoldOf = Pick<CreditHold, 'messageId' | 'holder'>

/** This is more than anyone buys, and far below the largest exact integer. */
export const MAX_BALANCE = 1_000_000_000_000
/**
 * Open holds of one wallet at once. As many holds and the event that carries them forward fit into one append, with holders of `MAX_HOLDER_LENGTH`; and
 * the state into a command runner's cache.
 */
export const MAX_OPEN_HOLDS = 3_072
/** The longest name of an attempt, in ASCII. */
export const MAX_HOLDER_LENGTH = 64
/** A process that does not know the wallet reads at most about so many events. */
export const CARRY_FORWARD_EVERY = 256

/** One wallet a workspace. */
export function walletStream(workspaceId: string): string {
  return `wallet-${workspaceId}`
}

const decide = (command: WalletCommand, state: WalletState): readonly WalletEvent[] => {
  const events = entriesOf(command, state)
  if (events.length === 0 || state.events + events.length - state.carriedAt < CARRY_FORWARD_EVERY) return events
  return [...events, carriedForward(events.reduce(evolveWallet, state))]
}

const carriedForward = ({ balance, credited, recent, holds, events }: WalletState): WalletEvent => ({
  type: 'BalanceCarriedForward',
  data: { events, balance, credited, recent, holds: [...holds.values()] },
})

function entriesOf(command: WalletCommand, state: WalletState): readonly WalletEvent[] {
  switch (command.type) {
    case 'AddCredits':
      return state.recent.includes(command.data.commandId) ? [] : add(command.data, state)
    case 'FillNewWallet':
      return state.credited || command.data.amount === 0 ? [] : add({ commandId: null, ...command.data, note: FILE_NOTE }, state)
    case 'HoldCredits':
      return hold(command.data.holds, state)
    case 'SettleHolds':
      return ended('CreditsSettled', command.data.holds, state)
    case 'ReleaseHolds':
      return ended('CreditsReleased', command.data.holds, state)
    default:
      return command satisfies never
  }
}

/** The note of a workspace's first credits (D6). */
const FILE_NOTE = 'workspace file'

const add = (data: CreditsAdded['data'], { balance }: WalletState): readonly WalletEvent[] => {
  if (!isAmount(data.amount)) throw new Refused('credits_not_positive')
  if (balance + data.amount > MAX_BALANCE) throw new Refused('wallet_full')
  return [{ type: 'CreditsAdded', data }]
}

const isAmount = (amount: number): boolean => Number.isInteger(amount) && amount >= 1

function hold(wanted: readonly CreditHold[], state: WalletState): readonly WalletEvent[] {
  let available = availableCredits(state)
  const placed = new Map<string, CreditHold>()
  const taken = new Map<string, HoldOf>()
  for (const { messageId, amount, holder } of wanted) {
    if (!isAmount(amount)) throw new Refused('credits_not_positive')
    const open = state.holds.get(messageId)
    if (open !== undefined) {
      if (open.holder !== holder) taken.set(messageId, { messageId, holder })
    } else if (!placed.has(messageId) && amount <= available && state.holds.size + placed.size < MAX_OPEN_HOLDS) {
      available -= amount
      placed.set(messageId, { messageId, amount, holder })
    }
  }
  return [
    ...(taken.size > 0 ? [{ type: 'CreditHoldsTakenOver', data: { holds: [...taken.values()] } } as const] : []),
    ...(placed.size > 0 ? [{ type: 'CreditsHeld', data: { holds: [...placed.values()] } } as const] : []),
  ]
}

function ended(type: 'CreditsSettled' | 'CreditsReleased', wanted: readonly HoldOf[], { holds }: WalletState): readonly WalletEvent[] {
  const found = new Map<string, Readonly<{ messageId: string; amount: number }>>()
  for (const { messageId, holder } of wanted) {
    const open = holds.get(messageId)
    if (open?.holder === holder) found.set(messageId, { messageId, amount: open.amount })
  }
  return found.size > 0 ? [{ type, data: { holds: [...found.values()] } }] : []
}

/** The SMS credits of a workspace: neither what is spent nor what is held ever makes the balance negative. */
export const wallet: Decider<WalletCommand, WalletEvent, WalletState> = {
  decide,
  evolve: evolveWallet,
  initialState: emptyWallet,
  hot: true,
  carriesState: ({ type }) => type === 'BalanceCarriedForward',
}
