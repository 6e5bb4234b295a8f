import type { Event, EventDeclarations } from '../kernel.ts'

/** `amount`: whole credits set aside for the message. `holder`: the attempt that works on the message, and may release them. */
export type CreditHold = Readonly<{ messageId: string; amount: number; holder: string }>
/** An open hold, with the revisions of the events that placed it and that named its holder: the same until another attempt takes it over. */
export type OpenHold = CreditHold & Readonly<{ revision: number; holderRevision: number }>

// Stored for ever: change only together with an upcast.
/**
 * `amount`: whole credits, at least one. `commandId`: of the command that added them; null where a repetition of it could add nothing.
 * `note`: the operator's words, which may name a person: sealed since version 3.
 */
export type CreditsAdded = Event<'CreditsAdded', { commandId: string | null; amount: number; note: string | null }>
/** Credits were set aside for messages, in this order. */
type CreditsHeld = Event<'CreditsHeld', { holds: readonly CreditHold[] }>
/** Another attempt works on the messages from here on; the holds are those that there were. */
type CreditHoldsTakenOver = Event<'CreditHoldsTakenOver', { holds: readonly Readonly<{ messageId: string; holder: string }>[] }>
/** The provider accepted the messages: what was held for them is spent. */
type CreditsSettled = Event<'CreditsSettled', { holds: readonly Readonly<{ messageId: string; amount: number }>[] }>
/** The messages were not sent: what was held for them is available again. */
type CreditsReleased = Event<'CreditsReleased', { holds: readonly Readonly<{ messageId: string; amount: number }>[] }>
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
