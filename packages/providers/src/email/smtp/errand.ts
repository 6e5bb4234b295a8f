import type { SendOptions } from '../port.ts'
import type { OutgoingMail } from './transaction.ts'

/**
 * A mail on its way out, and whoever waits for it: exactly one of `done` and `failed` is called, once. `build` is called when a session
 * has time for it, so that the mails that wait in line hold no second copy of themselves; it may throw `DeliveryError`.
 */
export type Errand = SendOptions & Readonly<{ build: () => OutgoingMail; done: () => void; failed: (error: unknown) => void }>

/** Errands that wait for a session, as one session sees them: null where it is to take no more. */
export type Line = Readonly<{ next: () => Errand | null; putBack: (errand: Errand) => void }>
