import type { Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/** `amount`: whole credits, at least one. `commandId`: of the command that added them; null where a repetition of it could add nothing. */
export type CreditsAdded = Event<'CreditsAdded', { commandId: string | null; amount: number; note: string | null }>
export type WalletEvent = CreditsAdded

export const walletDeclarations = {
  CreditsAdded: { version: 2 },
} satisfies EventDeclarations & Record<WalletEvent['type'], unknown>
