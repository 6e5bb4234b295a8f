import type { MessageId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

/** `amount`: whole credits set aside for the message. `holder`: the attempt that works on the message, and may release them. */
export type CreditHold = Readonly<{ messageId: MessageId; amount: number; holder: string }>
/** An open hold, with the revisions of the events that placed it and that named its holder: the same until another attempt takes it over. */
export type OpenHold = CreditHold & Readonly<{ revision: number; holderRevision: number }>

// Stored for ever: change only together with an upcast.
/**
 * `amount`: whole credits, at least one. `commandId`: of the command that added them; null where a repetition of it could add nothing.
 * `note`: the operator's words, which may name a person: sealed since version 3.
 */
type CreditsAdded = Event<'CreditsAdded', { commandId: string | null; amount: number; note: string | null }>
/** Credits were set aside for messages, in this order. */
type CreditsHeld = Event<'CreditsHeld', { holds: readonly CreditHold[] }>
/** Another attempt works on the messages from here on; the holds are those that there were. */
type CreditHoldsTakenOver = Event<'CreditHoldsTakenOver', { holds: readonly Readonly<{ messageId: MessageId; holder: string }>[] }>
/** The provider accepted the messages: what was held for them is spent. */
type CreditsSettled = Event<'CreditsSettled', { holds: readonly Readonly<{ messageId: MessageId; amount: number }>[] }>
/** The messages were not sent: what was held for them is available again. */
type CreditsReleased = Event<'CreditsReleased', { holds: readonly Readonly<{ messageId: MessageId; amount: number }>[] }>
/** Changes nothing: the whole state, so that the events before it need not be read. `events`: how many those are. */
type BalanceCarriedForward = Event<
  'BalanceCarriedForward',
  { events: number; balance: number; credited: boolean; recent: readonly string[]; holds: readonly OpenHold[] }
>
export type WalletEvent = CreditsAdded | CreditsHeld | CreditHoldsTakenOver | CreditsSettled | CreditsReleased | BalanceCarriedForward

/** Keys belong to a workspace, and so does a wallet: one subject. */
const walletSubject = (): string => 'wallet:notes'

export const walletDeclarations = {
  CreditsAdded: { version: 3, personal: { subject: walletSubject, fields: ['note'] } },
  CreditsHeld: { version: 1 },
  CreditHoldsTakenOver: { version: 1 },
  CreditsSettled: { version: 1 },
  CreditsReleased: { version: 1 },
  BalanceCarriedForward: { version: 1 },
} as const satisfies EventDeclarations & Record<WalletEvent['type'], unknown>

/**
 * `balance`: credits that are not spent; `held` of them are set aside for messages on their way. `credited`: some were ever added.
 * `recent`: the last commands that added credits, oldest first. `holds`: the open ones by message. `events`: how many the stream has;
 * `carriedAt`: how many it had when the state was last carried forward.
 */
export type WalletState = Readonly<{
  balance: number
  held: number
  credited: boolean
  recent: readonly string[]
  holds: ReadonlyMap<string, OpenHold>
  events: number
  carriedAt: number
}>

/**
 * A wallet remembers this many commands: 20 KB. No other part does so reliably: Postgres refuses an event id that it has, but EventStoreDB
 * recognises one only at the revision that the append expects, and a process only the last that it read or wrote of a stream.
 */
export const REMEMBERED_COMMANDS = 256

const emptyWallet: WalletState = { balance: 0, held: 0, credited: false, recent: [], holds: new Map(), events: 0, carriedAt: 0 }

/** The credits that may be set aside or spent. */
export function availableCredits({ balance, held }: Pick<WalletState, 'balance' | 'held'>): number {
  return balance - held
}

const sumOf = (holds: readonly Readonly<{ amount: number }>[]): number => holds.reduce((sum, { amount }) => sum + amount, 0)

function evolveWallet(before: WalletState, event: WalletEvent): WalletState {
  const state = { ...before, events: before.events + 1 }
  switch (event.type) {
    case 'CreditsAdded': {
      const { amount, commandId } = event.data
      const recent = commandId === null ? state.recent : [...state.recent, commandId].slice(-REMEMBERED_COMMANDS)
      return { ...state, balance: state.balance + amount, credited: true, recent }
    }
    case 'CreditsHeld': {
      const placed = event.data.holds.map(
        (hold) => [hold.messageId, { ...hold, revision: before.events, holderRevision: before.events }] as const,
      )
      return { ...state, held: state.held + sumOf(event.data.holds), holds: new Map([...state.holds, ...placed]) }
    }
    case 'CreditHoldsTakenOver':
      return { ...state, holds: withHolders(before, event.data.holds) }
    case 'CreditsSettled': {
      const spent = sumOf(event.data.holds)
      return { ...state, balance: state.balance - spent, held: state.held - spent, holds: without(state.holds, event.data.holds) }
    }
    case 'CreditsReleased':
      return { ...state, held: state.held - sumOf(event.data.holds), holds: without(state.holds, event.data.holds) }
    case 'BalanceCarriedForward': {
      const { events, holds, ...carried } = event.data
      const open = new Map(holds.map((hold) => [hold.messageId, hold]))
      return { ...carried, held: sumOf(holds), holds: open, events: events + 1, carriedAt: events + 1 }
    }
    default:
      return event satisfies never
  }
}

type Holds = WalletState['holds']

function without(holds: Holds, ended: readonly Readonly<{ messageId: MessageId }>[]): Holds {
  const left = new Map(holds)
  for (const { messageId } of ended) left.delete(messageId)
  return left
}

function withHolders({ holds, events }: WalletState, taken: readonly Readonly<{ messageId: MessageId; holder: string }>[]): Holds {
  const now = new Map(holds)
  for (const { messageId, holder } of taken) {
    const hold = holds.get(messageId)
    if (hold) now.set(messageId, { ...hold, holder, holderRevision: events })
  }
  return now
}

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
export function walletStream(workspaceId: WorkspaceId): string {
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
  const found = new Map<string, Readonly<{ messageId: MessageId; amount: number }>>()
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
