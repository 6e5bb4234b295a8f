import type { SendOptions } from '../port.ts'
import type { OutgoingMail } from './transaction.ts'

/**
 * A mail on its way out, and whoever waits for it: exactly one of `done` and `failed` is called, once. `build` is called when a session
 * has time for it, so that the mails that wait in line hold no second copy of themselves; it may throw `DeliveryError`.
 */
export type Errand = SendOptions & Readonly<{ build: () => OutgoingMail; done: () => void; failed: (error: unknown) => void }>

/**
 * Errands that wait for a session, as one session sees them: null where it is to take no more. `slow`: its mail has been waiting for an
 * answer for longer than a command may take, so the others must not count on this session.
 */
export type Line = Readonly<{ next: () => Errand | null; putBack: (errand: Errand) => void; slow: () => void }>
