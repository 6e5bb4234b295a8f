import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { EmailLookup, IdParams, NullableTimestamp, nullableOneOf, nullableText, oneOf, text, Uuid } from './kinds.ts'

// Senders as the dashboard shows and adds them.

const { Optional } = Type

export const SenderDomainParams = described(Type.Object({ domain: text(512, { trim: true, notEmpty: true }) }), {
  fields: { domain: 'The name of the domain, in any spelling.' },
})

const DnsRecord = described(
  Type.Object({
    kind: oneOf('proof', 'spf', 'dkim', 'dmarc'),
    selector: nullableText(),
    name: Type.String(),
    type: oneOf('TXT'),
    value: nullableText(),
    state: oneOf('found', 'different', 'absent', 'unanswered', 'unasked'),
    found: Type.Array(Type.String()),
    advice: nullableText(),
  }),
  {
    name: 'DnsRecord',
    about: 'A record to publish, and what DNS said of it when it was last asked.',
    fields: {
      kind: '`proof` shows whose the domain is; receivers look at the others.',
      selector: 'Of a DKIM key: its selector.',
      name: 'The name of the record, in ASCII.',
      type: 'The type of the record.',
      value: 'What it is to say; null where only the relay knows.',
      state: '`found`; `different` where another text is there; `absent`; `unanswered` where no server said; `unasked`.',
      found: 'What was there instead, or the policy that was found: printable ASCII, cut where it is long.',
      advice: 'What to change about what was found.',
    },
  },
)
export type DnsRecord = Static<typeof DnsRecord>

export const SenderDomainStatus = described(
  Type.Object({
    domain: Type.String(),
    verified: Type.Boolean(),
    by: oneOf('operator', 'dns'),
    proof: nullableOneOf('found', 'missing', 'lost'),
    missingSince: NullableTimestamp,
    blocklisted: Type.Boolean(),
    listedIn: Type.Array(Type.String()),
    signedUnder: nullableText(),
    records: Type.Array(DnsRecord),
    checkedAt: NullableTimestamp,
    etag: Type.String(),
  }),
  {
    name: 'SenderDomainStatus',
    about: 'A domain that mail is sent from: what to publish, and what was found.',
    fields: {
      domain: 'The name of the domain.',
      verified: 'Whether mail may be sent from it.',
      by: 'Who says so: `dns`, or the word of the `operator`.',
      proof: 'What DNS last said of the proof: `missing` for three days at most, then `lost`; null while it was never found.',
      missingSince: 'Since when the proof is missing.',
      blocklisted: 'Whether it is on a blocklist, so that no mail is sent from it.',
      listedIn: 'The blocklists that have it.',
      signedUnder: 'The selector of the DKIM key that its mail is signed with; null where the relay alone signs.',
      records: 'The records to publish.',
      checkedAt: 'When somebody last had its records looked up.',
      etag: 'What a change of its DKIM key names in `If-Match`.',
    },
  },
)
export type SenderDomainStatus = Static<typeof SenderDomainStatus>

export const SenderAddressStatus = described(
  Type.Object({
    id: Uuid,
    email: Type.String(),
    name: nullableText(),
    status: oneOf('pending', 'verified', 'failed'),
    reason: nullableOneOf('expired', 'bounced', 'complained', 'refused', 'unavailable'),
    confirmBy: NullableTimestamp,
    mailSent: Type.Boolean(),
  }),
  {
    name: 'SenderAddressStatus',
    about: 'An address that mail is sent from.',
    fields: {
      id: 'The UUID of the address.',
      email: 'The address.',
      name: 'The name that recipients see.',
      status: '`verified` once its mailbox has confirmed, or by the word of the operator.',
      reason: 'Why it failed.',
      confirmBy: 'Until when the mailbox can confirm; null where it was never asked.',
      mailSent: 'Whether the mail that asks has left.',
    },
  },
)
export type SenderAddressStatus = Static<typeof SenderAddressStatus>

export const SmsSenderStatus = described(
  Type.Object({
    id: Type.String(),
    status: oneOf('pending', 'approved', 'rejected', 'deactivated'),
    reason: nullableText(),
    number: nullableText(),
  }),
  {
    name: 'SmsSenderStatus',
    about: 'A name that texts are sent under.',
    fields: {
      id: 'The sender ID.',
      status: 'What the operator decided; `pending` until then.',
      reason: 'Why it was rejected.',
      number: 'The own number behind it, which can be answered.',
    },
  },
)
export type SmsSenderStatus = Static<typeof SmsSenderStatus>

export const Senders = described(
  Type.Object({
    domains: Type.Array(SenderDomainStatus),
    addresses: Type.Array(SenderAddressStatus),
    smsSenders: Type.Array(SmsSenderStatus),
  }),
  {
    name: 'Senders',
    about: 'Every sender of the workspace.',
    fields: { domains: 'By name.', addresses: 'By address.', smsSenders: 'By name.' },
  },
)
export type Senders = Static<typeof Senders>

export const AddSenderDomainBody = described(Type.Object({ domain: text(512, { trim: true, notEmpty: true }) }), {
  name: 'AddSenderDomainBody',
  about: 'A domain that mail is to be sent from.',
  fields: { domain: 'The name of the domain, in any spelling.' },
  example: { domain: 'mail.acme.example' },
})

export const ChooseDkimKeyBody = described(Type.Object({ selector: nullableText({ maxLength: 63 }) }), {
  name: 'ChooseDkimKeyBody',
  about: 'The DKIM key that mail of the domain is signed with.',
  fields: { selector: 'The selector of a key that DNS shows; null: the relay alone signs.' },
  example: { selector: null },
})

export const AddSenderAddressBody = described(Type.Object({ email: EmailLookup, name: Optional(text(255, { trim: true })) }), {
  name: 'AddSenderAddressBody',
  about: 'An address that mail is to be sent from; its mailbox is asked to confirm.',
  fields: { email: 'The address, in a sender domain of the workspace.', name: 'The name that recipients see.' },
  example: { email: 'hello@acme.example', name: 'Acme' },
})

export const SenderAddressParams = IdParams

export const AskForSmsSenderBody = described(Type.Object({ id: text(11, { trim: true, notEmpty: true }) }), {
  name: 'AskForSmsSenderBody',
  about: 'A name that texts are to be sent under; the operator approves or rejects it.',
  fields: { id: 'At most 11 letters, digits, blanks and `. _ & + -`.' },
  example: { id: 'ACME' },
})
