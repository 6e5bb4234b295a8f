import { type Command, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import type { RefusalCode } from '../refusal-codes.ts'
import { ownValue } from '../values.ts'

type SenderAddressRef = Readonly<{ addressId: string }>

export type SenderAddressStatus = 'pending' | 'verified' | 'failed'
/** Why a mailbox did not confirm (M14). `refused`: the relay does not take the mail; `unavailable`: it could not be given to a relay. */
export type SenderAddressFailure = 'expired' | 'bounced' | 'complained' | 'refused' | 'unavailable'

// Stored for ever: change only together with an upcast.
type SenderAddressConfigured = Event<
  'SenderAddressConfigured',
  SenderAddressRef & { email: string; name: string | null; status: SenderAddressStatus }
>
/** The mailbox is to be asked, by one mail; its link works until `expiresAt` or until the next one is issued. */
export type SenderConfirmationIssued = Event<
  'SenderConfirmationIssued',
  SenderAddressRef & { confirmationId: string; at: string; expiresAt: string }
>
/** The provider took the mail. */
type SenderConfirmationSent = Event<'SenderConfirmationSent', SenderAddressRef & { confirmationId: string }>
/** The button of the page behind the link was pressed. */
type SenderAddressVerified = Event<'SenderAddressVerified', SenderAddressRef>
type SenderAddressFailed = Event<'SenderAddressFailed', SenderAddressRef & { reason: SenderAddressFailure }>
export type SenderAddressEvent =
  | SenderAddressConfigured
  | SenderConfirmationIssued
  | SenderConfirmationSent
  | SenderAddressVerified
  | SenderAddressFailed

const senderSubject = ({ addressId }: SenderAddressRef): string => `sender:${addressId}`

export const senderAddressDeclarations = {
  SenderAddressConfigured: { version: 1, personal: { subject: senderSubject, fields: ['email', 'name'] } },
  SenderConfirmationIssued: { version: 1 },
  SenderConfirmationSent: { version: 1 },
  SenderAddressVerified: { version: 1 },
  SenderAddressFailed: { version: 1 },
} as const satisfies EventDeclarations & Record<SenderAddressEvent['type'], unknown>

type NewConfirmation = Readonly<{ confirmationId: string; at: string }>
/** `status`: the operator's word. A mailbox that confirmed stays verified when the word is `pending`. `confirmation`: for one that is to be asked. */
type ConfigureSenderAddress = Command<'ConfigureSenderAddress', SenderAddressConfigured['data'] & { confirmation?: NewConfirmation }>
type ResendSenderConfirmation = Command<'ResendSenderConfirmation', SenderAddressRef & NewConfirmation>
type RecordConfirmationSent = Command<'RecordConfirmationSent', SenderAddressRef & { confirmationId: string }>
type VerifySenderAddress = Command<'VerifySenderAddress', SenderAddressRef & NewConfirmation>
type FailSenderConfirmation = Command<'FailSenderConfirmation', { confirmationId: string; reason: SenderAddressFailure; at: string }>
export type SenderAddressCommand =
  | ConfigureSenderAddress
  | ResendSenderConfirmation
  | RecordConfirmationSent
  | VerifySenderAddress
  | FailSenderConfirmation

type SenderConfirmation = Omit<SenderConfirmationIssued['data'], 'addressId'> & Readonly<{ isSent: boolean }>
export type SenderAddress = SenderAddressConfigured['data'] &
  Readonly<{
    isConfirmed: boolean
    confirmation: SenderConfirmation | null
    failure: SenderAddressFailure | null
    issuedAt: readonly string[]
  }>
export type SenderAddresses = Readonly<Record<string, SenderAddress>>

const DAY_MS = 24 * 60 * 60 * 1_000
const VALID_MS = 7 * DAY_MS
/** Mails of a day: whatever an operator's script does, a mailbox is not flooded, and a workspace does not flood many. */
const PER_ADDRESS = 3
const PER_WORKSPACE = 50

export function decideSenderAddress(command: SenderAddressCommand, addresses: SenderAddresses): readonly SenderAddressEvent[] {
  switch (command.type) {
    case 'ConfigureSenderAddress':
      return configure(command.data, addresses)
    case 'ResendSenderConfirmation':
      return resend(command.data, addresses)
    case 'RecordConfirmationSent':
      return recordSent(command.data, addresses)
    case 'VerifySenderAddress':
      return verify(command.data, addresses)
    case 'FailSenderConfirmation':
      return fail(command.data, addresses)
    default:
      return command satisfies never
  }
}

const configure = (
  { confirmation, ...wanted }: ConfigureSenderAddress['data'],
  addresses: SenderAddresses,
): readonly SenderAddressEvent[] => {
  const { addressId, email, name } = wanted
  const known = ownValue(addresses, addressId)
  const isUndecided = wanted.status === 'pending' && known !== undefined && (known.isConfirmed || known.status !== 'verified')
  const status = isUndecided ? known.status : wanted.status
  const isSo = known !== undefined && known.email === email && known.name === name && known.status === status
  const mustAsk = status === 'pending' && (known?.status !== 'pending' || known.confirmation === null)
  const canAsk = confirmation !== undefined && overCap(addressId, confirmation.at, addresses) === null
  return [
    ...(isSo ? [] : [{ type: 'SenderAddressConfigured', data: { addressId, email, name, status } } as const]),
    ...(mustAsk && canAsk ? [issued(addressId, confirmation)] : []),
  ]
}

const resend = (
  { addressId, ...confirmation }: ResendSenderConfirmation['data'],
  addresses: SenderAddresses,
): readonly SenderAddressEvent[] => {
  const known = existing(addresses, addressId)
  if (known.status === 'verified') throw new Refused('sender_address_verified')
  if (known.confirmation?.confirmationId === confirmation.confirmationId) return []
  const over = overCap(addressId, confirmation.at, addresses)
  if (over !== null) throw new Refused(over)
  const { email, name } = known
  const pending = { type: 'SenderAddressConfigured', data: { addressId, email, name, status: 'pending' } } as const
  return [...(known.status === 'pending' ? [] : [pending]), issued(addressId, confirmation)]
}

const issued = (addressId: string, { confirmationId, at }: NewConfirmation): SenderConfirmationIssued => ({
  type: 'SenderConfirmationIssued',
  data: { addressId, confirmationId, at, expiresAt: new Date(Date.parse(at) + VALID_MS).toISOString() },
})

/** The code of the cap that one more mail would break; null where it breaks none. */
const overCap = (addressId: string, at: string, addresses: SenderAddresses): RefusalCode | null => {
  const isOfToday = (issuedAt: string): boolean => Date.parse(at) - Date.parse(issuedAt) < DAY_MS
  if ((ownValue(addresses, addressId)?.issuedAt ?? []).filter(isOfToday).length >= PER_ADDRESS) return 'sender_confirmation_capped'
  const all = Object.values(addresses).flatMap(({ issuedAt }) => issuedAt)
  return all.filter(isOfToday).length >= PER_WORKSPACE ? 'sender_confirmations_capped' : null
}

const recordSent = (
  { addressId, confirmationId }: RecordConfirmationSent['data'],
  addresses: SenderAddresses,
): readonly SenderAddressEvent[] => {
  const { confirmation } = existing(addresses, addressId)
  const isNews = confirmation?.confirmationId === confirmationId && !confirmation.isSent
  return isNews ? [{ type: 'SenderConfirmationSent', data: { addressId, confirmationId } }] : []
}

/** A click is the mailbox's own word: it also counts after a bounce was reported. */
const verify = (
  { addressId, confirmationId, at }: VerifySenderAddress['data'],
  addresses: SenderAddresses,
): readonly SenderAddressEvent[] => {
  const { status, isConfirmed, confirmation } = existing(addresses, addressId)
  if (confirmation?.confirmationId !== confirmationId) throw new Refused('sender_confirmation_unknown')
  if (isConfirmed || status === 'verified') return []
  if (at > confirmation.expiresAt) throw new Refused('sender_confirmation_expired')
  return [{ type: 'SenderAddressVerified', data: { addressId } }]
}

/** The failure of an older mail, or of a mail to a verified address, changes nothing. */
const fail = (
  { confirmationId, reason, at }: FailSenderConfirmation['data'],
  addresses: SenderAddresses,
): readonly SenderAddressEvent[] => {
  const known = Object.values(addresses).find(({ confirmation }) => confirmation?.confirmationId === confirmationId)
  if (known === undefined) throw new Refused('sender_confirmation_unknown')
  if (known.status !== 'pending') return []
  if (reason === 'expired' && at <= (known.confirmation?.expiresAt ?? at)) return []
  return [{ type: 'SenderAddressFailed', data: { addressId: known.addressId, reason } }]
}

const existing = (addresses: SenderAddresses, addressId: string): SenderAddress => {
  const known = ownValue(addresses, addressId)
  if (known === undefined) throw new Refused('sender_address_not_found')
  return known
}

export function evolveSenderAddresses(addresses: SenderAddresses, event: SenderAddressEvent): SenderAddresses {
  const { addressId } = event.data
  const known = ownValue(addresses, addressId)
  if (event.type === 'SenderAddressConfigured') return { ...addresses, [addressId]: configured(event.data, known) }
  return known === undefined ? addresses : { ...addresses, [addressId]: evolve(known, event) }
}

/** Verified from `SenderAddressConfigured` alone is the operator's word; after the mailbox's own it stays the mailbox's. */
const configured = (data: SenderAddressConfigured['data'], known: SenderAddress | undefined): SenderAddress => {
  const { confirmation = null, issuedAt = [], failure = null } = known ?? {}
  const isConfirmed = data.status === 'verified' && (known?.isConfirmed ?? false)
  return { ...data, isConfirmed, confirmation, issuedAt, failure: data.status === 'failed' ? failure : null }
}

const evolve = (known: SenderAddress, event: Exclude<SenderAddressEvent, SenderAddressConfigured>): SenderAddress => {
  switch (event.type) {
    case 'SenderConfirmationIssued': {
      const { addressId: _, ...confirmation } = event.data
      return {
        ...known,
        confirmation: { ...confirmation, isSent: false },
        issuedAt: [...known.issuedAt, confirmation.at].slice(-PER_ADDRESS),
      }
    }
    case 'SenderConfirmationSent':
      return { ...known, confirmation: known.confirmation && { ...known.confirmation, isSent: true } }
    case 'SenderAddressVerified':
      return { ...known, status: 'verified', isConfirmed: true, failure: null }
    case 'SenderAddressFailed':
      return { ...known, status: 'failed', failure: event.data.reason }
    default:
      return event satisfies never
  }
}
