import type { Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/**
 * `amount`: whole credits, at least one. `commandId`: of the command that added them; null where a repetition of it could add nothing.
 * `note`: the operator's words, which may name anybody: sealed since version 3.
 */
export type CreditsAdded = Event<'CreditsAdded', { commandId: string | null; amount: number; note: string | null }>
export type WalletEvent = CreditsAdded

/** Keys belong to a workspace, and so does a wallet: one subject. */
export const walletSubject = (): string => 'wallet:notes'

export const walletDeclarations = {
  CreditsAdded: { version: 3, personal: { subject: walletSubject, fields: ['note'] } },
} satisfies EventDeclarations & Record<WalletEvent['type'], unknown>
