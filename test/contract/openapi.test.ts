import { STORE_EVENT_KEYS, WEBHOOK_EVENTS } from '@tidings/domain'
import { refusals } from '@tidings/http'
import { describe, expect, it } from 'vitest'
import { committedOpenApi, operationsOf, type Schema } from './openapi.ts'

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
      (operation.parameters ?? [])
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
    operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.values(content).flatMap(({ examples = {} }) => Object.values(examples).map(({ value }) => value.code)),
      ),
    ),
  )
  const shown = Object.entries(refusals).flatMap(([code, answer]) => ('hidden' in answer ? [] : [code]))
  expect(shown.filter((code) => !documented.has(code))).toEqual([])
})

describe('the section of webhooks', () => {
  it('has every event of the catalogue in its order, and the custom ones', () => {
    expect(Object.keys(api.webhooks)).toEqual([...WEBHOOK_EVENTS, 'custom'])
  })
  it('names the keys that store events are stored with', () => {
    const keysOf = (event: string) => {
      const delivery = schemas[api.webhooks[event]?.post.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '']
      return Object.keys(schemas[delivery?.properties?.data?.$ref?.split('/').at(-1) ?? '']?.properties ?? {})
    }
    for (const [event, keys] of Object.entries(STORE_EVENT_KEYS)) expect(keysOf(event)).toEqual([...keys, 'contactId', 'occurredAt'])
  })
})
