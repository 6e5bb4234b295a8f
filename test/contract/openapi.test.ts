import { MESSAGE_EVENTS, STORE_EVENT_KEYS, WEBHOOK_EVENTS } from '@tidings/domain'
import { DASHBOARD_ROLES, refusals } from '@tidings/http'
import { describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, committedOpenApi, operationsOf, parametersOf, type Schema } from './openapi.ts'

const api = committedOpenApi()
const operations = operationsOf(api)
const { schemas } = api.components

/** Every schema below this one, with where it is. */
const below = (schema: Schema, place: string): readonly (readonly [string, Schema])[] => [
  [place, schema],
  ...Object.entries(schema.properties ?? {}).flatMap(([key, property]) => below(property, `${place}.${key}`)),
  ...(schema.items ? below(schema.items, `${place}[]`) : []),
  ...(schema.anyOf ?? []).flatMap((one) => below(one, place)),
]

const contents = operations.flatMap(({ name, operation: { requestBody, responses } }) => [
  ...Object.values(requestBody?.content ?? {}).map(({ schema }) => [`the body of ${name}`, schema] as const),
  ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { schema }]) => (type === 'text/plain' ? [] : [[`${status} of ${name}`, schema] as const])),
  ),
])

describe('every operation', () => {
  it('has a name of its own, a sentence, and a tag that has a sentence', () => {
    const tags = new Set(api.tags.map(({ name }) => name))
    const bad = operations.filter(
      ({ operation: { operationId, summary, tags: own = [] } }) =>
        !operationId || !summary || !own.every((tag) => tags.has(tag)) || own.length !== 1,
    )
    expect(bad.map(({ name }) => name)).toEqual([])
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    expect(
      api.tags.filter(
        ({ name, description }) => description.length < 20 || !operations.some(({ operation }) => operation.tags?.includes(name)),
      ),
    ).toEqual([])
  })
  it('takes and answers with named schemas alone (else: `described` of packages/contracts)', () => {
    expect(contents.filter(([, schema]) => schema.$ref === undefined).map(([place]) => place)).toEqual([])
    expect(contents.length).toBeGreaterThan(operations.length * 3)
  })
  it('has a sentence for each parameter', () => {
    const silent = operations.flatMap(({ name, operation }) =>
      parametersOf(api, operation)
        .filter(({ description = '' }) => description.length < 10)
        .map((parameter) => `${parameter.name} of ${name}`),
    )
    expect(silent).toEqual([])
  })
  it('says how it fails, and what its headers are', () => {
    const always = ['400', '429', '500', '503']
    expect(operations.filter(({ operation }) => !always.every((status) => operation.responses[status])).map(({ name }) => name)).toEqual([])
    const bare = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses).flatMap(([status, { $ref, headers }]) => ($ref || headers ? [] : [`${status} of ${name}`])),
    )
    expect(bare).toEqual([])
  })
})

describe('Idempotency-Key', () => {
  const writes = operations.filter(({ method }) => method !== 'GET')
  const takesKey = (operation: (typeof operations)[number]['operation']) =>
    parametersOf(api, operation).some((parameter) => parameter.name === 'Idempotency-Key' && parameter.in === 'header')
  const headersOf = ({ operation }: (typeof operations)[number], status: RegExp) =>
    Object.entries(operation.responses)
      .filter(([code]) => status.test(code))
      .flatMap(([, { headers = {} }]) => Object.keys(headers))

  it('is a header of every write but signing in and out, and of no read', () => {
    expect(writes.filter(({ operation }) => !takesKey(operation)).map(({ operation }) => operation.operationId)).toEqual([
      'auth.login',
      'auth.link',
      'auth.logout',
    ])
    expect(operations.filter(({ method, operation }) => method === 'GET' && takesKey(operation))).toEqual([])
  })
  it('has answers that say whether they are repeated, but not with a secret', () => {
    const silent = writes
      .filter(({ operation }) => takesKey(operation))
      .filter((write) => !headersOf(write, /^2/).includes('Idempotent-Replayed'))
    expect(silent.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'apiKeys.create',
      'apiKeys.createForEventIngest',
      'apiKeys.createPublishable',
      'webhooks.create',
    ])
  })
  it('brings answers that say whether reads show the write, and when a running request may be asked again', () => {
    const keyed = writes.filter(({ operation }) => takesKey(operation))
    expect(keyed.filter((write) => !headersOf(write, /^2/).includes('X-Consistency'))).toEqual([])
    expect(keyed.filter((write) => !headersOf(write, /^409/).includes('Retry-After'))).toEqual([])
    const others = operations.filter(({ operation }) => !takesKey(operation))
    expect(others.flatMap((one) => headersOf(one, /^2/)).filter((name) => name === 'Idempotent-Replayed')).toEqual([])
  })
  it('is no header of a read, whose answers say where they may not show every write: success, and what is not found', () => {
    const saysSo = (one: (typeof operations)[number], status: RegExp) => headersOf(one, status).includes('X-Consistency')
    const others = operations.filter(({ operation }) => !takesKey(operation))
    expect(
      others
        .filter((one) => !saysSo(one, /^2/))
        .map(({ operation }) => operation.operationId)
        .toSorted(),
    ).toEqual(['apiKeys.list', 'auth.link', 'auth.login', 'auth.logout', 'auth.session', 'contacts.readConsent', 'push.publicKey'])
    const finding = others.filter((one) => saysSo(one, /^2/) && one.operation.responses[404] !== undefined)
    expect(finding.filter((one) => !saysSo(one, /^404/)).map(({ name }) => name)).toEqual([])
  })
})

it('every success says what is left of both limits', () => {
  const silent = operations.filter(({ operation }) =>
    Object.entries(operation.responses).some(
      ([status, { headers = {} }]) =>
        status.startsWith('2') && !('X-RateLimit-Remaining' in headers && 'X-RateLimit-Reset-tenant' in headers),
    ),
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})

describe('every component', () => {
  it('has a sentence, and one for each of its fields', () => {
    const silent = Object.entries(schemas).flatMap(([name, schema]) => [
      ...(schema.description ? [] : [name]),
      ...Object.entries(schema.properties ?? {}).flatMap(([key, { description }]) => (description ? [] : [`${name}.${key}`])),
    ])
    expect(silent.filter((place) => !place.endsWith('Envelope.data'))).toEqual([])
  })
  it('has no unnamed object or enumeration inside', () => {
    const unnamed = Object.entries(schemas).flatMap(([name, schema]) =>
      below(schema, name)
        .filter(([place, one]) => place !== name && (one.properties !== undefined || (one.enum?.length ?? 0) > 1))
        .map(([place]) => place),
    )
    expect(unnamed).toEqual([])
  })
  it('that is a body is strict, and has an example', () => {
    const bodies = operations.flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}))
    const named = bodies.map(({ schema }) => schema.$ref?.split('/').at(-1) ?? '')
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => schemas[name]?.additionalProperties !== false || schemas[name]?.examples === undefined)).toEqual([])
  })
})

it('no keyword is private', () => {
  expect(JSON.stringify(api)).not.toMatch(/"(trim|notEmpty|verbatim|sentence|showsSecret)":/)
})

it('every reference leads somewhere', () => {
  const references = new Set(
    [...JSON.stringify(api).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(([, kind, name]) => `${kind} ${name}`),
  )
  const known = new Set(Object.entries(api.components).flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind} ${name}`)))
  expect([...references].filter((reference) => !known.has(reference))).toEqual([])
  expect(references.size).toBeGreaterThan(100)
})

it('every code that the table of refusals shows is shown by a route', () => {
  const documented = new Set(
    [...operations, ...operationsOf(committedDashboardOpenApi())].flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.values(content).flatMap(({ examples = {} }) => Object.values(examples).map(({ value }) => value.code)),
      ),
    ),
  )
  const shown = Object.entries(refusals).flatMap(([code, answer]) => ('hidden' in answer ? [] : [code]))
  expect(shown.filter((code) => !documented.has(code))).toEqual([])
})

it('a path leads to every schema, those of webhooks included', () => {
  const namesIn = (value: unknown) => [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
  const reached = new Set<string>()
  const follow = (names: readonly string[]): void => {
    for (const name of names.filter((one) => !reached.has(one))) {
      reached.add(name)
      follow(namesIn(schemas[name]))
    }
  }
  follow(namesIn([api.paths, api.components.responses]))
  expect(Object.keys(schemas).filter((name) => !reached.has(name))).toEqual([])
  const created = operations.find(({ operation }) => operation.operationId === 'webhooks.create')?.operation
  expect(Object.keys(created?.callbacks?.delivery ?? {})).toEqual(['{$request.body#/url}'])
})

describe('the section of webhooks', () => {
  it('has every event of the catalogue in its order, those of single messages, and the custom ones', () => {
    expect(Object.keys(api.webhooks)).toEqual([...new Set([...WEBHOOK_EVENTS, ...MESSAGE_EVENTS]), 'custom'])
  })
  it('names the keys that store events are stored with', () => {
    const keysOf = (event: string) => {
      const delivery = schemas[api.webhooks[event]?.post.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '']
      return Object.keys(schemas[delivery?.properties?.data?.$ref?.split('/').at(-1) ?? '']?.properties ?? {})
    }
    for (const [event, keys] of Object.entries(STORE_EVENT_KEYS)) expect(keysOf(event)).toEqual([...keys, 'contactId', 'occurredAt'])
  })
})

describe('the document of the dashboard', () => {
  const own = committedDashboardOpenApi()
  const all = operationsOf(own)
  it('has below its prefix alone operations with a name of their own, a sentence, and the least role that may', () => {
    const bad = all.filter(
      ({ path, operation: { operationId, summary, tags = [], 'x-tidings-role': role = '' } }) =>
        !path.startsWith('/api/v1/dashboard/') ||
        !operationId ||
        !summary ||
        tags.length !== 1 ||
        !DASHBOARD_ROLES.some((one) => one === role),
    )
    expect(bad.map(({ name }) => name)).toEqual([])
    expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(30)
  })
  it('names a session as the only way in, and 401 and 403 among the answers of each', () => {
    const open = all.filter(
      ({ operation: { security, responses } }) =>
        JSON.stringify(security) !== '[{"session":[]},{"bearer":[]}]' || !responses[401] || !responses[403] || !responses[429],
    )
    expect(open.map(({ name }) => name)).toEqual([])
    expect(JSON.stringify(own)).not.toMatch(/-tenant|X-API-Key|"(trim|notEmpty|verbatim|sentence|showsSecret)":/)
  })
  it('says of each read that replicas may answer that it may show less, and of no file, and nothing that is as the primary is (M130)', () => {
    const silent = all.filter(
      ({ method, operation }) => method === 'GET' && !('X-Consistency' in (operation.responses[200]?.headers ?? {})),
    )
    expect(silent.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      ...['campaigns.previewContent', 'credits.statementFile', 'erasures.readReceipt', 'forms.preview', 'messages.readContent'],
      ...['profiles.export', 'profiles.prove', 'proofs.proveAll', 'system.findings', 'system.projections', 'system.read'],
      ...['workspaceFile.download', 'workspaceFile.read'],
    ])
  })
  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(own).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(
      ([, kind, name]) => `${kind} ${name}`,
    )
    const known = new Set(Object.entries(own.components).flatMap(([kind, every]) => Object.keys(every).map((name) => `${kind} ${name}`)))
    expect(references.filter((reference) => !known.has(reference))).toEqual([])
    expect(references.length).toBeGreaterThan(100)
  })
})
