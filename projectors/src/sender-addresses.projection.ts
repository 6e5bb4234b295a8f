import type { SenderAddressConfigured, SenderDomainConfigured } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { SenderAddressRow, SenderDomainRow } from '@tidings/read-models'

const senderDomains = defineTable<SenderDomainRow<string>>({
  name: 'sender_domains',
  columns: { workspace_id: 'uuid', domain: 'text', verified: 'boolean', blocklisted: 'boolean', updated_at: 'timestamptz' },
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
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  indices: [{ name: 'email', on: 'workspace_id, email' }],
})

/** From where a workspace may send: its domains and, on them, its mailboxes. */
export const senderAddressesProjection = defineProjection<SenderDomainConfigured | SenderAddressConfigured>({
  name: 'sender_addresses',
  version: 1,
  tables: [senderAddresses, senderDomains],
  reads: ({ type, data, meta: { workspaceId } }) =>
    type === 'SenderAddressConfigured' ? [row(senderAddresses, workspaceId, data.addressId)] : [],
  on: {
    SenderDomainConfigured: ({ data, meta: { workspaceId, at } }, rows) =>
      rows.put(senderDomains, { workspace_id: workspaceId, ...data, updated_at: at }),

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
        created_at: known?.created_at ?? at,
        updated_at: at,
      })
    },
  },
})
