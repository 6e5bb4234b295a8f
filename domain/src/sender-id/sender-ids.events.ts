import type { Event, EventDeclarations } from '../kernel.ts'

type Of = Readonly<{ senderId: string }>

// Stored for ever: change only together with an upcast.
/** Asked for, or asked for again after it was rejected. */
export type SmsSenderIdRequested = Event<'SmsSenderIdRequested', Of>
/** Approved and active, also again after it was deactivated. */
export type SmsSenderIdApproved = Event<'SmsSenderIdApproved', Of>
/** `reason`: the operator's words, which may name anybody: sealed since version 2. */
export type SmsSenderIdRejected = Event<'SmsSenderIdRejected', Of & { reason: string | null }>
export type SmsSenderIdDeactivated = Event<'SmsSenderIdDeactivated', Of>
export type SenderIdsEvent = SmsSenderIdRequested | SmsSenderIdApproved | SmsSenderIdRejected | SmsSenderIdDeactivated

export const senderIdSubject = ({ senderId }: Of): string => `senderid:${senderId}`

export const senderIdsDeclarations = {
  SmsSenderIdRequested: { version: 1 },
  SmsSenderIdApproved: { version: 1 },
  SmsSenderIdRejected: { version: 2, personal: { subject: senderIdSubject, fields: ['reason'] } },
  SmsSenderIdDeactivated: { version: 1 },
} satisfies EventDeclarations & Record<SenderIdsEvent['type'], unknown>
