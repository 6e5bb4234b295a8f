import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventDeclarations } from '../src/declarations.ts'
import { HIDDEN_SECRET, withoutSecrets } from '../src/secrets.ts'

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

test('a secret is encrypted', () => {
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
