import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contactFieldNames } from './contact/contact.events.ts'
import { eventDeclarations } from './declarations.ts'
import { HIDDEN_SECRET, withoutSecrets } from './secrets.ts'

/** Encrypted fields that are no secret of the service: who may open the log may read them. A new one is classified here, or by `secret` of its type. */
const SHOWN: readonly string[] = [
  ...contactFieldNames,
  'body',
  'browser',
  'content',
  'detail',
  'digest',
  'email',
  'endpoint',
  'facts',
  'formId',
  'fromEmail',
  'fromName',
  'icon',
  'ip',
  'label',
  'name',
  'note',
  'p256dh',
  'pending',
  'phone',
  'platform',
  'properties',
  'reason',
  'replyTo',
  'response',
  'sourceText',
  'sourceUrl',
  'title',
  'to',
  'url',
  'userAgent',
]

/** Fields in clear whose names sound like secrets, and why they are none. */
const CLEAR = {
  'ApiKeyCreated.hash': 'of a key of 256 random bits',
  'ApiKeyCreated.keyId': 'an id',
  'ApiKeyDeleted.keyId': 'an id',
  'ApiKeyRevoked.keyId': 'an id',
  'ContactBrowserAdded.endpointHash': 'names a browser',
  'ContactBrowserRemoved.endpointHash': 'names a browser',
  'CustomFieldConfigured.key': 'the name of a field',
  'DkimKeyCreated.publicKey': 'is published',
  'FormSubmitted.keyId': 'an id',
  'PushSubscriptionRegistered.endpointHash': 'names a browser',
  'PushSubscriptionRevoked.endpointHash': 'names a browser',
  'SenderDomainTokenIssued.token': 'is published in the DNS',
}

const SOUNDS_SECRET = /secret|passw|hash$|private|credential|token|auth|salt|(^|[a-z])key(id)?$|signing/i

type Properties<Inside> = Readonly<{ properties: Inside }>
type Schema = Readonly<{ $defs: Readonly<Record<string, Properties<{ data: Properties<Readonly<Record<string, unknown>>> }>>> }>
const schema = JSON.parse(readFileSync(new URL('../../docs/reference/events.schema.json', import.meta.url), 'utf8')) as Schema

const personalOf = (type: string) => eventDeclarations[type]?.personal

test('every encrypted field of every event is classified: shown to who may open the log, or a secret of the service', () => {
  const unclassified = Object.entries(eventDeclarations).flatMap(([type, { personal }]) =>
    (personal?.fields ?? [])
      .filter((field) => !SHOWN.includes(field) && !personal?.secret?.includes(field))
      .map((field) => `${type}.${field}`),
  )
  expect(unclassified).toEqual([])
  expect(SHOWN.filter((name) => !Object.values(eventDeclarations).some(({ personal }) => personal?.fields.includes(name)))).toEqual([])
  for (const [type, { personal }] of Object.entries(eventDeclarations))
    for (const field of personal?.secret ?? []) expect([type, personal?.fields]).toEqual([type, expect.arrayContaining([field])])
})

test('no field whose name sounds like a secret is in clear, or shown when it is opened', () => {
  const found = Object.keys(eventDeclarations).flatMap((type) =>
    Object.keys(schema.$defs[type]!.properties.data.properties)
      .filter((field) => SOUNDS_SECRET.test(field) && !personalOf(type)?.secret?.includes(field))
      .map((field) => `${type}.${field}`),
  )
  expect(found.filter((name) => !Object.hasOwn(CLEAR, name))).toEqual([])
  expect(Object.keys(CLEAR).filter((name) => !found.includes(name))).toEqual([])
})

test('the secrets that there are today', () => {
  expect(
    Object.entries(eventDeclarations)
      .flatMap(([type, { personal }]) => (personal?.secret ?? []).map((field) => `${type}.${field}`))
      .toSorted(),
  ).toEqual([
    'ConnectorConfigured.secret',
    'DkimKeyCreated.privateKey',
    'PushSubscriptionRegistered.auth',
    'UserConfigured.passwordHash',
    'WebhookEndpointCreated.signingSecret',
  ])
})

test('a secret shows that it exists, and one that is not there does not', () => {
  const data = { userId: 'u', email: 'ada@example.com', passwordHash: 'scrypt$…' }
  expect(withoutSecrets('UserConfigured', data)).toEqual({ ...data, passwordHash: HIDDEN_SECRET })
  expect(withoutSecrets('UserConfigured', { ...data, passwordHash: null })).toEqual({ ...data, passwordHash: null })
  expect(withoutSecrets('ContactCreated', data)).toBe(data)
})
