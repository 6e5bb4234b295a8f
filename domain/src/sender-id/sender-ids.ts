import type { WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

type SenderIdRef = Readonly<{ senderId: string }>

// Stored for ever: change only together with an upcast.
/** Requested, or requested again after a rejection. */
type SmsSenderIdRequested = Event<'SmsSenderIdRequested', SenderIdRef>
/** Approved and active, also again after it was deactivated. */
type SmsSenderIdApproved = Event<'SmsSenderIdApproved', SenderIdRef>
/** `reason`: the operator's words, which may name a person: sealed since version 2. */
type SmsSenderIdRejected = Event<'SmsSenderIdRejected', SenderIdRef & { reason: string | null }>
type SmsSenderIdDeactivated = Event<'SmsSenderIdDeactivated', SenderIdRef>
export type SenderIdsEvent = SmsSenderIdRequested | SmsSenderIdApproved | SmsSenderIdRejected | SmsSenderIdDeactivated

const senderIdSubject = ({ senderId }: SenderIdRef): string => `senderid:${senderId}`

export const senderIdsDeclarations = {
  SmsSenderIdRequested: { version: 1 },
  SmsSenderIdApproved: { version: 1 },
  SmsSenderIdRejected: { version: 2, personal: { subject: senderIdSubject, fields: ['reason'] } },
  SmsSenderIdDeactivated: { version: 1 },
} as const satisfies EventDeclarations & Record<SenderIdsEvent['type'], unknown>

/** Shared names of the platform, which no workspace can have (contract: SMS). */
const RESERVED_SENDER_IDS: readonly string[] = ['SENDER', 'INFO', 'SHOP']

/** Only an approved sender ID may be used; a deactivated one was approved and may be again. */
export type SenderIdStatus = 'pending' | 'approved' | 'rejected' | 'deactivated'
type SenderId = Readonly<{ senderId: string; status: SenderIdStatus }>
type SenderIdsState = readonly SenderId[]

/** Makes it have the status. `pending` requests it: a decided one stays as it is, except that a rejected one is requested again. */
export type ConfigureSenderId = Command<'ConfigureSenderId', { senderId: string; status: 'pending' | 'approved' | 'rejected' }>
type ApproveSenderId = Command<'ApproveSenderId', { senderId: string }>
type RejectSenderId = Command<'RejectSenderId', { senderId: string; reason: string | null }>
type DeactivateSenderId = Command<'DeactivateSenderId', { senderId: string }>
export type SenderIdsCommand = ConfigureSenderId | ApproveSenderId | RejectSenderId | DeactivateSenderId

/** All sender IDs of a workspace are one stream: that is what makes their names unique. */
export function senderIdsStream(workspaceId: WorkspaceId): string {
  return `smssenders-${workspaceId}`
}

/** Names are compared whatever their case; the casing that was stored first stays (N212). */
export function senderIdNamed(state: SenderIdsState, name: string): SenderId | undefined {
  return state.find(({ senderId }) => senderId.toLowerCase() === name.toLowerCase())
}

export function isReservedSenderId(name: string): boolean {
  return RESERVED_SENDER_IDS.includes(name.toUpperCase())
}

const decide = (command: SenderIdsCommand, state: SenderIdsState): readonly SenderIdsEvent[] => {
  const known = senderIdNamed(state, command.data.senderId)
  switch (command.type) {
    case 'ConfigureSenderId':
      return configure(command.data, known)
    case 'ApproveSenderId':
      return approve(existing(known))
    case 'RejectSenderId':
      return reject(existing(known), command.data.reason)
    case 'DeactivateSenderId':
      return deactivate(existing(known))
    default:
      return command satisfies never
  }
}

const existing = (known: SenderId | undefined): SenderId => {
  if (known === undefined) throw new Refused('sender_id_not_found')
  return known
}

const configure = ({ senderId: name, status }: ConfigureSenderId['data'], known: SenderId | undefined): readonly SenderIdsEvent[] => {
  if (isReservedSenderId(name)) throw new Refused('sender_id_reserved')
  if (known === undefined || (known.status === 'rejected' && status !== 'rejected')) {
    const { senderId } = known ?? { senderId: name }
    return [{ type: 'SmsSenderIdRequested', data: { senderId } }, ...become({ senderId, status: 'pending' }, status)]
  }
  return become(known, status)
}

const become = (sender: SenderId, status: ConfigureSenderId['data']['status']): readonly SenderIdsEvent[] => {
  if (status === 'pending') return []
  return status === 'approved' ? approve(sender) : reject(sender, null)
}

const approve = ({ senderId, status }: SenderId): readonly SenderIdsEvent[] => {
  if (status === 'rejected') throw new Refused('sender_id_rejected')
  return status === 'approved' ? [] : [{ type: 'SmsSenderIdApproved', data: { senderId } }]
}

const reject = ({ senderId, status }: SenderId, reason: string | null): readonly SenderIdsEvent[] =>
  status === 'rejected' ? [] : [{ type: 'SmsSenderIdRejected', data: { senderId, reason } }]

const deactivate = ({ senderId, status }: SenderId): readonly SenderIdsEvent[] => {
  if (status === 'deactivated') return []
  if (status !== 'approved') throw new Refused('sender_id_not_approved')
  return [{ type: 'SmsSenderIdDeactivated', data: { senderId } }]
}

const becomes = {
  SmsSenderIdRequested: 'pending',
  SmsSenderIdApproved: 'approved',
  SmsSenderIdRejected: 'rejected',
  SmsSenderIdDeactivated: 'deactivated',
} as const satisfies Record<SenderIdsEvent['type'], SenderIdStatus>

const evolve = (state: SenderIdsState, { type, data: { senderId } }: SenderIdsEvent): SenderIdsState => [
  ...state.filter((one) => one.senderId !== senderId),
  { senderId, status: becomes[type] },
]

/** The names a workspace may send SMS under (N212). */
export const senderIds: Decider<SenderIdsCommand, SenderIdsEvent, SenderIdsState> = { decide, evolve, initialState: [] }

const NUMBER = /^\+?\d+$/

/** A sender as it is compared: a name in any case, a number with or without its plus. */
export function smsSenderKey(sender: string): string {
  const bare = sender.trim()
  return NUMBER.test(bare) ? bare.replace('+', '') : bare.toUpperCase()
}
