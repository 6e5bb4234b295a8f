import { asApiKeyId, asTemplateId, byOperator, type TemplateEvent, type WorkspaceEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { senderAddressesProjection } from '../src/sender-addresses.projection.ts'
import { templatesProjection } from '../src/templates.projection.ts'
import { workspacesProjection } from '../src/workspaces.projection.ts'
import { moment, recorded, WORKSPACE } from './recorded.ts'

const settings = { name: 'Acme', plan: 'pro', country: 'IL', tracking: false } as const
const created: WorkspaceEvent = { type: 'WorkspaceCreated', data: { workspaceId: WORKSPACE, slug: 'acme', ...settings } }
const keyId = asTemplateId('0192f0c1-0000-7000-8000-00000000000c')
const key: WorkspaceEvent = {
  type: 'ApiKeyCreated',
  data: { keyId: asApiKeyId(keyId), name: 'server', prefix: 'sk_evt_00000000', hash: 'ab', ...byOperator },
}

test('a workspace starts active and changes what its events name', () => {
  const events: readonly WorkspaceEvent[] = [
    created,
    { type: 'WorkspaceSettingsChanged', data: { name: 'Acme Ltd' } },
    { type: 'WorkspaceStatusChanged', data: { status: 'suspended', reason: null } },
  ]
  expect(foldAll(workspacesProjection, recorded(events)).workspaces).toEqual([
    {
      workspace_id: WORKSPACE,
      slug: 'acme',
      ...settings,
      name: 'Acme Ltd',
      status: 'suspended',
      created_at: moment(1),
      updated_at: moment(3),
    },
  ])
})

test('a key is active, then revoked since a moment, then gone', () => {
  const keys = (...events: readonly WorkspaceEvent[]) => foldAll(workspacesProjection, recorded([key, ...events])).api_keys
  expect(keys()).toMatchObject([{ id: keyId, status: 'active', revoked_at: null }])
  const revoked: WorkspaceEvent = { type: 'ApiKeyRevoked', data: { keyId: asApiKeyId(keyId), ...byOperator } }
  expect(keys(revoked)).toMatchObject([{ status: 'revoked', revoked_at: moment(2) }])
  expect(keys(revoked, { type: 'ApiKeyDeleted', data: { keyId: asApiKeyId(keyId), ...byOperator } })).toEqual([])
})

test('a sender address keeps when it was first configured, and the domain behind its @', () => {
  const address = { addressId: keyId, email: 'hello@mail.acme.example', name: null, status: 'pending' } as const
  const events: readonly WorkspaceEvent[] = [
    { type: 'SenderDomainConfigured', data: { domain: 'mail.acme.example', verified: true, blocklisted: false } },
    { type: 'SenderAddressConfigured', data: address },
    { type: 'SenderAddressConfigured', data: { ...address, name: 'Acme', status: 'verified' } },
  ]
  expect(foldAll(senderAddressesProjection, recorded(events))).toMatchObject({
    sender_domains: [{ domain: 'mail.acme.example', verified: true, blocklisted: false }],
    sender_addresses: [{ domain: 'mail.acme.example', name: 'Acme', status: 'verified', created_at: moment(2), updated_at: moment(3) }],
  })
  expect(foldAll(senderAddressesProjection, recorded(events, true)).sender_addresses).toEqual([])
})

test('a template lists the merge tags of all its texts, each once and sorted, and follows its archive', () => {
  const content = { subject: 'Hi {{firstName|there}}', html: '<p>{{code}}</p>', text: '{{ code }}', body: null, push: null, fromName: null }
  const events: readonly TemplateEvent[] = [
    { type: 'TemplateCreated', data: { templateId: keyId, name: 'welcome', channel: 'email', archived: false, ...content } },
    { type: 'TemplateArchived', data: { templateId: keyId } },
  ]
  expect(foldAll(templatesProjection, recorded(events)).templates).toMatchObject([
    { name: 'welcome', archived: true, merge_fields: ['code', 'firstName'], created_at: moment(1), updated_at: moment(2) },
  ])
  const changed: TemplateEvent = { type: 'TemplateContentChanged', data: { templateId: keyId, ...content, subject: 'Hi' } }
  const restored: TemplateEvent = { type: 'TemplateRestored', data: { templateId: keyId } }
  expect(foldAll(templatesProjection, recorded([...events, changed, restored])).templates).toMatchObject([
    { archived: false, subject: 'Hi', merge_fields: ['code'], updated_at: moment(4) },
  ])
})
