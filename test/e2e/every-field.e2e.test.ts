import { readFileSync } from 'node:fs'
import type { Profile } from '@tidings/contracts'
import { asContactId, type ContactEvent, type ContactId, contactStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { details } from './support/profile-bodies.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

type Schema = Readonly<{ $ref?: string; properties?: Readonly<Record<string, unknown>> }>
type Operation = Readonly<{
  operationId: string
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ schema: Schema }>>> }>
}>
type Api = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: Readonly<{ schemas: Readonly<Record<string, Schema>> }>
}>

/** What the service serves (test/contract): a field or a route that is new is in here. */
const api: Api = JSON.parse(readFileSync(new URL('../contract/openapi.snapshot.json', import.meta.url), 'utf8'))

const fieldsOf = ({ requestBody }: Operation): readonly string[] => {
  const schema = requestBody?.content['application/json']?.schema
  const named = schema?.$ref === undefined ? schema : api.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  return Object.keys(named?.properties ?? {})
}
const writes = Object.entries(api.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([method]) => method === 'patch' || method === 'put')
    .map(([method, operation]) => ({ method: method.toUpperCase(), path: path.replace('/api/v1', ''), operation })),
)
const cases = writes.flatMap((write) => fieldsOf(write.operation).map((field) => [write.operation.operationId, field, write] as const))

/** Another value of each field than a profile begins with, which has none. */
const VALUES: Readonly<Record<string, unknown>> = {
  ...details,
  ...Object.fromEntries(
    ['city', 'country', 'stateProvince', 'zip', 'address1', 'address2', 'gender', 'jobTitle'].map((key) => [key, `a ${key}`]),
  ),
  dateOfBirth: '1815-12-10',
}
/** They are evidence of a consent, and stand in its history. */
const SOURCES = ['emailConsentSource', 'smsConsentSource', 'pushConsentSource']
/** They find the profile. */
const FINDING: Readonly<Record<string, readonly string[]>> = { 'profiles.updateByEmail': ['email'], 'profiles.upsert': ['email'] }

let world: World
let acme: Client
beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
})
afterAll(() => world.stop())

let made = 0

describe('every field of every route that changes something', () => {
  it('is known here', () => {
    expect(writes.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'profiles.update',
      'profiles.updateByEmail',
      'profiles.upsert',
    ])
    const known = [...Object.keys(VALUES), ...SOURCES, 'email', 'newEmail', 'phone']
    expect([...new Set(cases.map(([, field]) => field))].filter((field) => !known.includes(field))).toEqual([])
  })

  it.each(cases.filter(([id, field]) => FINDING[id]?.includes(field) !== true))('%s keeps %s', async (id, field, { method, path }) => {
    const email = `every${made++}@example.com`
    const before = await profilesOf(acme).create({ email })
    const isSource = SOURCES.includes(field)
    const value = isSource ? `source-${made}` : (VALUES[field] ?? (field === 'phone' ? `+97250${1_000_000 + made}` : `new-${email}`))
    const finding = id === 'profiles.update' ? {} : { email }
    const consent = isSource ? { [field.replace('Source', '')]: 'subscribed' } : {}
    const answer = await acme.request(method, path.replace('{id}', before.id), {
      ...finding,
      ...consent,
      [field]: value,
    })
    expect([answer.status, answer.body.message]).toEqual([200, undefined])
    const after = await profilesOf(acme).get(before.id)
    if (isSource) expect(await said(asContactId(before.id))).toContain(`"source":"${value}"`)
    else expect(shown(after, field)).toEqual(value)
  })
})

const shown = (profile: Profile, field: string): unknown => {
  if (field === 'newEmail') return profile.email
  return field in profile ? profile[field as keyof Profile] : profile.customProperties[field]
}

const said = async (contactId: ContactId): Promise<string> => {
  const { id } = acme.applied.workspace
  const events = await world.stores.log.readStream<ContactEvent>(id, contactStream(id, contactId))
  return JSON.stringify(events.map(({ data }) => data))
}
