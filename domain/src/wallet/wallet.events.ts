import type { Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/** `amount`: whole credits, at least one. */
export type CreditsAdded = Event<'CreditsAdded', { amount: number; note: string | null }>
export type WalletEvent = CreditsAdded

export const walletDeclarations = {
  CreditsAdded: { version: 1 },
} satisfies EventDeclarations & Record<WalletEvent['type'], unknown>
