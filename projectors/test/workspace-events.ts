import {
  asApiKeyId,
  asFormId,
  asListId,
  asTemplateId,
  type TemplateEvent,
  type TemplateId,
  type WorkspaceEvent,
  type WorkspaceId,
} from '@tidings/domain'
import fc from 'fast-check'
import { maybe, words } from './arbitraries.ts'

const settings = fc.record({
  name: words,
  plan: fc.constantFrom('free', 'starter', 'pro', 'enterprise'),
  country: fc.constantFrom('IL', 'DE'),
  tracking: fc.boolean(),
})

const hex = fc.stringMatching(/^[0-9a-f]{64}$/)

/** A user, from a browser, or the operator. */
const askedBy = fc.oneof(
  fc.record({ userId: fc.uuid(), ip: fc.ipV4(), userAgent: maybe(words) }),
  fc.constant({ userId: null, ip: null, userAgent: null }),
)

const keyLife = fc
  .tuple(fc.uuid().map(asApiKeyId), hex, words, fc.nat(2), askedBy)
  .map(([keyId, hash, name, length, by]): readonly WorkspaceEvent[] =>
    (
      [
        { type: 'ApiKeyCreated', data: { keyId, name, prefix: 'sk_evt_00000000', hash, ...by } },
        { type: 'ApiKeyRevoked', data: { keyId, ...by } },
        { type: 'ApiKeyDeleted', data: { keyId, ...by } },
      ] as const
    ).slice(0, length + 1),
  )

const domainConfigured = fc
  .record({
    domain: fc.constantFrom('acme.example', 'mail.acme.example'),
    verified: maybe(fc.boolean()),
    blocklisted: maybe(fc.boolean()),
    proof: fc.constantFrom('found', 'missing', 'lost', null),
    listedIn: fc.subarray(['dbl.example', 'uribl.example']),
  })
  .map(({ proof, listedIn, ...data }): readonly WorkspaceEvent[] => [
    { type: 'SenderDomainConfigured', data },
    { type: 'SenderDomainTokenIssued', data: { domain: data.domain, token: '5f0e7e3a7b524a3c9d5e0d3a6a6f0c01' } },
    { type: 'SenderDomainChecked', data: { domain: data.domain, proof, listedIn, at: '2026-11-23T12:00:00.000Z' } },
  ])

const asked = (addressId: string): fc.Arbitrary<readonly WorkspaceEvent[]> =>
  fc.tuple(fc.uuid(), fc.nat(2)).map(([confirmationId, n]) => {
    const times = { at: '2026-11-23T12:00:00.000Z', expiresAt: '2026-11-30T12:00:00.000Z' }
    const ended: readonly WorkspaceEvent[] = [
      { type: 'SenderAddressVerified', data: { addressId } },
      { type: 'SenderAddressFailed', data: { addressId, reason: 'expired' } },
    ]
    return [
      { type: 'SenderConfirmationIssued', data: { addressId, confirmationId, ...times } },
      { type: 'SenderConfirmationSent', data: { addressId, confirmationId } },
      ...ended.slice(n, n + 1),
    ]
  })

const addressConfigured = fc
  .record({
    addressId: fc.uuid(),
    email: fc.emailAddress(),
    name: maybe(words),
    status: fc.constantFrom('pending', 'verified', 'failed'),
  })
  .chain((data) => fc.subarray([data, data], { minLength: 1 }).chain((all) => fc.tuple(fc.constant(all), asked(data.addressId))))
  .map(([all, more]) => [...all.map((data) => ({ type: 'SenderAddressConfigured', data }) as const), ...more])

const settingsChanged = settings
  .chain((all) => fc.subarray(Object.entries(all)))
  .map((some): readonly WorkspaceEvent[] => [{ type: 'WorkspaceSettingsChanged', data: Object.fromEntries(some) }])

const statusChanged = fc
  .constantFrom('active', 'suspended', 'closed')
  .map((status): readonly WorkspaceEvent[] => [{ type: 'WorkspaceStatusChanged', data: { status, reason: null } }])

const formsConfigured = fc
  .oneof(
    fc.subarray(['embedded_forms'] as const).map((features) => ({ type: 'WorkspaceFeaturesSet', data: { features } }) as const),
    fc.subarray(['https://a.example', 'https://b.example']).map((origins) => ({ type: 'FormOriginsSet', data: { origins } }) as const),
    fc
      .record({
        formId: fc.constantFrom('footer', 'popup').map(asFormId),
        listId: fc.uuid().map(asListId),
        confirmation: maybe(fc.record({ templateId: fc.uuid().map(asTemplateId), senderAddressId: fc.uuid() })),
      })
      .map((data) => ({ type: 'FormConfigured', data }) as const),
    fc.constantFrom('FormArchived', 'FormRestored').map((type) => ({ type, data: { formId: asFormId('footer') } }) as const),
  )
  .map((event): readonly WorkspaceEvent[] => [event])

/** A workspace from its creation on, with every event type that its stream can hold. */
export function workspaceLife(workspaceId: WorkspaceId): fc.Arbitrary<readonly WorkspaceEvent[]> {
  return fc
    .tuple(
      settings,
      fc.array(fc.oneof(keyLife, domainConfigured, addressConfigured, settingsChanged, statusChanged, formsConfigured), { maxLength: 8 }),
    )
    .map(([known, events]) => [
      { type: 'WorkspaceCreated', data: { workspaceId, slug: workspaceId.slice(0, 24), ...known } },
      ...events.flat(),
    ])
}

const content = fc.record({
  subject: maybe(fc.constantFrom('Hi {{firstName|there}}', 'plain')),
  html: maybe(words),
  text: maybe(words),
  body: maybe(fc.constantFrom('{{code}}', '{{ b }}{{a}}')),
  push: maybe(fc.record({ title: words, body: words, url: maybe(words), icon: maybe(words) })),
  fromName: maybe(words),
})

/** A template from its creation on. */
export function templateLife(templateId: TemplateId): fc.Arbitrary<readonly TemplateEvent[]> {
  return fc
    .tuple(
      fc.record({ name: words, channel: fc.constantFrom('email', 'sms', 'push'), archived: fc.boolean() }),
      content,
      fc.array(
        fc.oneof(
          content.map((changed): TemplateEvent => ({ type: 'TemplateContentChanged', data: { templateId, ...changed } })),
          fc.constant<TemplateEvent>({ type: 'TemplateArchived', data: { templateId } }),
          fc.constant<TemplateEvent>({ type: 'TemplateRestored', data: { templateId } }),
        ),
        { maxLength: 4 },
      ),
    )
    .map(([named, first, events]) => [{ type: 'TemplateCreated', data: { templateId, ...named, ...first } }, ...events])
}
