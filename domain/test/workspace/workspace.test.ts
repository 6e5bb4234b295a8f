import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { asWorkspaceId } from '../../src/ids.ts'
import { asApiKeyId, asFormId, asListId, asTemplateId } from '../../src/index.ts'
import type { MarketingRules, WorkspaceEvent } from '../../src/workspace/workspace.events.ts'
import { byOperator, type WorkspaceCommand, workspace } from '../../src/workspace/workspace.ts'
import { evolveWorkspace, unknownWorkspace } from '../../src/workspace/workspace-state.ts'

const { given } = specFor(workspace)

const settings = { name: 'Acme', plan: 'pro', country: 'IL', tracking: false } as const
const created: WorkspaceEvent = { type: 'WorkspaceCreated', data: { workspaceId: asWorkspaceId('w'), slug: 'acme', ...settings } }
const by = { userId: 'u', ip: '192.0.2.1', userAgent: 'Firefox' }
const key = { keyId: asApiKeyId('k'), name: 'server', prefix: 'sk_evt_01234567', hash: 'ab', ...by }
const keyCreated: WorkspaceEvent = { type: 'ApiKeyCreated', data: key }
const keyRevoked: WorkspaceEvent = { type: 'ApiKeyRevoked', data: { keyId: asApiKeyId('k'), ...byOperator } }
const keyDeleted: WorkspaceEvent = { type: 'ApiKeyDeleted', data: { keyId: asApiKeyId('k'), ...byOperator } }
const is = (status: 'active' | 'suspended' | 'closed'): WorkspaceEvent => ({
  type: 'WorkspaceStatusChanged',
  data: { status, reason: null },
})

describe('a workspace', () => {
  it('is created once for its slug', () => {
    const create = { type: 'CreateWorkspace', data: { workspaceId: asWorkspaceId('w'), slug: 'acme', ...settings } } as const
    given().when(create).thenEvents(created)
    given(created)
      .when({ ...create, data: { ...create.data, name: 'Other' } })
      .thenNothing()
  })

  it('is created with its first key, or not at all', () => {
    const data = { workspaceId: asWorkspaceId('w'), slug: 'acme', ...settings, firstKey: key }
    given().when({ type: 'CreateWorkspace', data }).thenEvents(created, keyCreated)
    given(created).when({ type: 'CreateWorkspace', data }).thenNothing()
  })

  it('must exist before anything can be done in it', () => {
    given().when({ type: 'CreateApiKey', data: key }).thenRefused('workspace_not_found')
    given()
      .when({ type: 'ChangeWorkspaceStatus', data: { status: 'closed' } })
      .thenRefused('workspace_not_found')
  })

  it('records only the settings that change', () => {
    given(created)
      .when({ type: 'ChangeWorkspaceSettings', data: { ...settings, plan: 'free' } })
      .thenEvents({ type: 'WorkspaceSettingsChanged', data: { plan: 'free' } })
    given(created).when({ type: 'ChangeWorkspaceSettings', data: settings }).thenNothing()
  })

  it('is suspended, resumed and closed for ever', () => {
    given(created)
      .when({ type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
      .thenEvents(is('suspended'))
    given(created, is('suspended'))
      .when({ type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
      .thenEvents(is('active'))
    given(created, is('suspended'))
      .when({ type: 'ChangeWorkspaceStatus', data: { status: 'closed' } })
      .thenEvents(is('closed'))
    given(created, is('closed'))
      .when({ type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
      .thenRefused('workspace_closed')
    given(created)
      .when({ type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
      .thenNothing()
  })
})

it('counts how often a workspace stopped being active', () => {
  const after = (...events: readonly WorkspaceEvent[]) => events.reduce(evolveWorkspace, unknownWorkspace).suspensions
  expect(after(created)).toBe(0)
  expect(after(created, is('suspended'), is('active'))).toBe(1)
  expect(after(created, is('suspended'), is('active'), is('suspended'), is('closed'))).toBe(3)
})

describe('an API key', () => {
  it('is created, revoked and deleted, in that order', () => {
    given(created).when({ type: 'CreateApiKey', data: key }).thenEvents(keyCreated)
    given(created, keyCreated)
      .when({ type: 'DeleteApiKey', data: { keyId: asApiKeyId('k'), ...byOperator } })
      .thenRefused('api_key_active')
    given(created, keyCreated)
      .when({ type: 'RevokeApiKey', data: { keyId: asApiKeyId('k'), ...byOperator } })
      .thenEvents(keyRevoked)
    given(created, keyCreated, keyRevoked)
      .when({ type: 'DeleteApiKey', data: { keyId: asApiKeyId('k'), ...byOperator } })
      .thenEvents(keyDeleted)
  })

  it('that is unknown or deleted cannot be revoked', () => {
    given(created)
      .when({ type: 'RevokeApiKey', data: { keyId: asApiKeyId('k'), ...byOperator } })
      .thenRefused('api_key_not_found')
    given(created, keyCreated, keyRevoked, keyDeleted)
      .when({ type: 'RevokeApiKey', data: { keyId: asApiKeyId('k'), ...byOperator } })
      .thenRefused('api_key_not_found')
    given(created)
      .when({ type: 'DeleteApiKey', data: { keyId: asApiKeyId('__proto__'), ...by } })
      .thenRefused('api_key_not_found')
  })

  it('never comes back under the same id', () => {
    given(created, keyCreated, keyRevoked, keyDeleted).when({ type: 'CreateApiKey', data: key }).thenNothing()
  })
})

describe('embedded forms', () => {
  const origins = ['http://localhost:5173', 'https://shop.acme.example']

  it('are allowed by a feature and at origins, which are set as a whole, in any order', () => {
    const enabled: WorkspaceEvent = { type: 'WorkspaceFeaturesSet', data: { features: ['embedded_forms'] } }
    const allowed: WorkspaceEvent = { type: 'FormOriginsSet', data: { origins } }
    given(created)
      .when({ type: 'SetFeatures', data: { features: ['embedded_forms'] } })
      .thenEvents(enabled)
    given(created)
      .when({ type: 'SetFormOrigins', data: { origins: origins.toReversed() } })
      .thenEvents(allowed)
    given(created, enabled)
      .when({ type: 'SetFeatures', data: { features: [] } })
      .thenEvents({ type: 'WorkspaceFeaturesSet', data: { features: [] } })
    given(created, allowed)
      .when({ type: 'SetFormOrigins', data: { origins: [] } })
      .thenEvents({ type: 'FormOriginsSet', data: { origins: [] } })
    given(created)
      .when({ type: 'SetFeatures', data: { features: [] } })
      .thenNothing()
  })

  it('lead to the list that was named for them last, whatever they are called', () => {
    for (const formId of ['footer', '__proto__', 'constructor'].map(asFormId)) {
      const form = { formId, listId: asListId('l'), confirmation: null }
      const configured: WorkspaceEvent = { type: 'FormConfigured', data: form }
      given(created)
        .when({ type: 'ConfigureForm', data: { ...form, archived: false } })
        .thenEvents(configured)
      given(created, configured)
        .when({ type: 'ConfigureForm', data: { ...form, listId: asListId('m'), archived: false } })
        .thenEvents({ type: 'FormConfigured', data: { ...form, listId: asListId('m') } })
    }
  })

  it('ask for a confirmation, in the mail that was named for it last, or not any more', () => {
    const form = { formId: asFormId('footer'), listId: asListId('l'), confirmation: null }
    const asking = { ...form, confirmation: { templateId: asTemplateId('t'), senderAddressId: 's' } }
    given(created, { type: 'FormConfigured', data: form })
      .when({ type: 'ConfigureForm', data: { ...asking, archived: false } })
      .thenEvents({ type: 'FormConfigured', data: asking })
    given(created, { type: 'FormConfigured', data: asking })
      .when({ type: 'ConfigureForm', data: { ...form, archived: false } })
      .thenEvents({ type: 'FormConfigured', data: form })
  })

  it('are archived and brought back, and stay what they were', () => {
    for (const formId of ['footer', '__proto__'].map(asFormId)) {
      const form = { formId, listId: asListId('l'), confirmation: null }
      const configured: WorkspaceEvent = { type: 'FormConfigured', data: form }
      const archived: WorkspaceEvent = { type: 'FormArchived', data: { formId } }
      const restored: WorkspaceEvent = { type: 'FormRestored', data: { formId } }
      const toArchive = { type: 'ConfigureForm', data: { ...form, archived: true } } as const
      const toRestore = { type: 'ConfigureForm', data: { ...form, archived: false } } as const
      given(created).when(toArchive).thenEvents(configured, archived)
      given(created, configured).when(toArchive).thenEvents(archived)
      given(created, configured, archived).when(toArchive).thenNothing()
      given(created, configured, archived).when(toRestore).thenEvents(restored)
      given(created, configured, archived, restored).when(toRestore).thenNothing()
      given(created, archived).when(toRestore).thenEvents(configured)
    }
  })

  it('have their switch and their origins set at once, each only where it differs', () => {
    const features: WorkspaceEvent = { type: 'WorkspaceFeaturesSet', data: { features: ['embedded_forms'] } }
    const origins: WorkspaceEvent = { type: 'FormOriginsSet', data: { origins: ['https://a.example', 'https://b.example'] } }
    const wanted = {
      type: 'SetFormSettings',
      data: { features: ['embedded_forms'], origins: ['https://b.example', 'https://a.example'] },
    } as const
    given(created).when(wanted).thenEvents(features, origins)
    given(created, features).when(wanted).thenEvents(origins)
    given(created, origins, features).when(wanted).thenNothing()
  })
})

describe('the answers to SMS keywords', () => {
  const replies = { stop: 'You get no more texts.', start: null, help: null }
  const set: WorkspaceEvent = { type: 'SmsRepliesSet', data: replies }

  it('are none at first, and are set as a whole', () => {
    given(created)
      .when({ type: 'SetSmsReplies', data: { stop: null, start: null, help: null } })
      .thenNothing()
    given(created).when({ type: 'SetSmsReplies', data: replies }).thenEvents(set)
    given(created, set)
      .when({ type: 'SetSmsReplies', data: { stop: null, start: null, help: 'Write to us.' } })
      .thenEvents({ type: 'SmsRepliesSet', data: { stop: null, start: null, help: 'Write to us.' } })
  })
})

describe('the rules of marketing messages', () => {
  const change = (data: Partial<MarketingRules>): WorkspaceCommand => ({ type: 'ChangeMarketingRules', data })
  const changed = (data: Partial<MarketingRules>): WorkspaceEvent => ({ type: 'MarketingRulesChanged', data })
  const quietHours = { from: '21:00', to: '08:00' }

  it('are recorded where they change, and taken back by null', () => {
    given(created)
      .when(change({ quietHours, timezone: 'UTC' }))
      .thenEvents(changed({ quietHours }))
    given(created, changed({ quietHours }))
      .when(change({ quietHours: { ...quietHours }, frequencyCap: { messages: 3, days: 7 } }))
      .thenEvents(changed({ frequencyCap: { messages: 3, days: 7 } }))
    given(created, changed({ quietHours }))
      .when(change({ quietHours: null }))
      .thenEvents(changed({ quietHours: null }))
    given(created)
      .when(change({ quietHours: null, frequencyCap: null }))
      .thenNothing()
  })
})

describe('a sender', () => {
  const domain = { domain: 'acme.example', verified: true, blocklisted: false }
  const address = { addressId: 'a', email: 'hello@acme.example', name: 'Acme', status: 'verified' } as const

  it('is configured when it is new or differs', () => {
    const configured: WorkspaceEvent = { type: 'SenderDomainConfigured', data: domain }
    given(created).when({ type: 'ConfigureSenderDomain', data: domain }).thenEvents(configured)
    given(created, configured)
      .when({ type: 'ConfigureSenderDomain', data: { ...domain, blocklisted: true } })
      .thenEvents({ type: 'SenderDomainConfigured', data: { ...domain, blocklisted: true } })
    given(created).when({ type: 'ConfigureSenderAddress', data: address }).thenEvents({ type: 'SenderAddressConfigured', data: address })
  })
})
