import {
  effectiveDomain,
  evolveSenderDomains,
  type SenderAddressEvent,
  type SenderDomain,
  type SenderDomainEvent,
  type SenderDomains,
  type WorkspaceId,
} from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { SenderAddressRow, SenderDomainRow } from '@tidings/read-models'

const senderDomains = defineTable<SenderDomainRow<string>>({
  name: 'sender_domains',
  columns: {
    workspace_id: 'uuid',
    domain: 'text',
    verified: 'boolean',
    blocklisted: 'boolean',
    said_verified: 'boolean?',
    said_blocklisted: 'boolean?',
    token: 'text?',
    proof: 'text?',
    listed_in: 'text[]',
    missing_since: 'timestamptz?',
    configured_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'domain'],
})

const senderAddresses = defineTable<SenderAddressRow<string>>({
  name: 'sender_addresses',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    email: 'text',
    domain: 'text',
    name: 'text?',
    status: 'text',
    confirm_by: 'timestamptz?',
    confirmation_id: 'uuid?',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  indices: [
    { name: 'email', on: 'workspace_id, email' },
    { name: 'confirmation', on: 'confirmation_id' },
  ],
})

type Meta = Readonly<{ workspaceId: WorkspaceId; at: string }>

const evolveDomain = (event: SenderDomainEvent & Readonly<{ meta: Meta }>, rows: Rows): void => {
  const { workspaceId, at } = event.meta
  const known = rows.get(senderDomains, workspaceId, event.data.domain)
  const domain = evolveSenderDomains(known === undefined ? {} : stateOf(known), event)[event.data.domain]
  if (domain === undefined) return
  rows.put(senderDomains, {
    workspace_id: workspaceId,
    domain: domain.domain,
    ...effectiveDomain(domain),
    said_verified: domain.verified,
    said_blocklisted: domain.blocklisted,
    token: domain.token,
    proof: domain.proof,
    listed_in: domain.listedIn,
    missing_since: domain.missingSince,
    configured_at: known === undefined || event.type === 'SenderDomainConfigured' ? at : known.configured_at,
    updated_at: at,
  })
}

const stateOf = (known: SenderDomainRow<string>): SenderDomains => {
  const domain: SenderDomain = {
    domain: known.domain,
    verified: known.said_verified,
    blocklisted: known.said_blocklisted,
    token: known.token,
    proof: known.proof,
    listedIn: known.listed_in,
    missingSince: known.missing_since,
  }
  return { [known.domain]: domain }
}

type EventOfSender = Readonly<{ data: Readonly<{ addressId: string }>; meta: Meta }>

const change = ({ data, meta: { workspaceId, at } }: EventOfSender, rows: Rows, changed: Partial<SenderAddressRow<string>>): void => {
  const known = rows.get(senderAddresses, workspaceId, data.addressId)
  if (known !== undefined) rows.put(senderAddresses, { ...known, ...changed, updated_at: at })
}

/** The senders of a workspace: its domains and, on them, its mailboxes. */
export const senderAddressesProjection = defineProjection<
  SenderDomainEvent | Exclude<SenderAddressEvent, { type: 'SenderConfirmationSent' }>
>({
  name: 'sender_addresses',
  version: 3,
  tables: [senderAddresses, senderDomains],
  personal: ['SenderAddressConfigured'],
  reads: ({ data, meta: { workspaceId } }) =>
    'addressId' in data ? [row(senderAddresses, workspaceId, data.addressId)] : [row(senderDomains, workspaceId, data.domain)],
  on: {
    SenderDomainConfigured: evolveDomain,
    SenderDomainTokenIssued: evolveDomain,
    SenderDomainChecked: evolveDomain,

    SenderAddressConfigured: ({ data, erased, meta: { workspaceId, at } }, rows) => {
      if (erased) return rows.delete(senderAddresses, workspaceId, data.addressId)
      const known = rows.get(senderAddresses, workspaceId, data.addressId)
      rows.put(senderAddresses, {
        workspace_id: workspaceId,
        id: data.addressId,
        email: data.email,
        domain: data.email.slice(data.email.lastIndexOf('@') + 1),
        name: data.name,
        status: data.status,
        confirm_by: known?.confirm_by ?? null,
        confirmation_id: known?.confirmation_id ?? null,
        created_at: known?.created_at ?? at,
        updated_at: at,
      })
    },
    SenderConfirmationIssued: (event, rows) => {
      const { expiresAt, confirmationId } = event.data
      change(event, rows, { confirm_by: expiresAt, confirmation_id: confirmationId })
    },
    SenderAddressVerified: (event, rows) => change(event, rows, { status: 'verified' }),
    SenderAddressFailed: (event, rows) => change(event, rows, { status: 'failed' }),
  },
})
