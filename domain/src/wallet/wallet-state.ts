import type { OpenHold, WalletEvent } from './wallet.events.ts'

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
 * How many commands a wallet remembers: 20 KB. No other part does so reliably: Postgres refuses an event id that it has, but EventStoreDB
 * recognises one only at the revision that the append expects, and a process only the last that it read or wrote of a stream.
 */
export const REMEMBERED_COMMANDS = 256

export const emptyWallet: WalletState = { balance: 0, held: 0, credited: false, recent: [], holds: new Map(), events: 0, carriedAt: 0 }

/** What may be set aside or spent. */
export function availableCredits({ balance, held }: Pick<WalletState, 'balance' | 'held'>): number {
  return balance - held
}

const sumOf = (holds: readonly Readonly<{ amount: number }>[]): number => holds.reduce((sum, { amount }) => sum + amount, 0)

export function evolveWallet(before: WalletState, event: WalletEvent): WalletState {
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

function without(holds: Holds, ended: readonly Readonly<{ messageId: string }>[]): Holds {
  const left = new Map(holds)
  for (const { messageId } of ended) left.delete(messageId)
  return left
}

function withHolders({ holds, events }: WalletState, taken: readonly Readonly<{ messageId: string; holder: string }>[]): Holds {
  const now = new Map(holds)
  for (const { messageId, holder } of taken) {
    const hold = holds.get(messageId)
    if (hold) now.set(messageId, { ...hold, holder, holderRevision: events })
  }
  return now
}
