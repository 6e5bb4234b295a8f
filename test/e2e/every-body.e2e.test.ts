import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { committedOpenApi, operationsOf, type Schema } from '../contract/openapi.ts'
import { bodyCases } from './support/body-cases.ts'
import { type Client, clientOf } from './support/client.ts'
import { FILE, type Prepared } from './support/prepared-request.ts'
import { newLink } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

// A field of a body that is accepted and dropped is the worst answer to its sender: every one of every body does something, or is refused. A request
// is sent with one value of a field and with another, each time about other people, and what it answers and what it writes are compared.

const api = committedOpenApi()
const operations = operationsOf(api).flatMap(({ method, path, operation }) => {
  const schema = operation.requestBody?.content['application/json']?.schema
  return schema === undefined
    ? []
    : [{ id: operation.operationId ?? path, method, path: path.replace('/api/v1', ''), fields: fieldsOf(schema) }]
})

function fieldsOf(schema: Schema): readonly string[] {
  const named = schema.$ref === undefined ? schema : api.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  return Object.keys(named?.properties ?? {})
}

let world: World
let shop: Client
beforeAll(async () => {
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_RATE_LIMIT_FORMS: 'off' })
  shop = clientOf({ url: world.url, applied: await world.apply(FILE), shown: world.settle })
})
afterAll(() => world.stop())

/** Seven digits, with which no other text begins to look alike. */
let made = 1_234_000

const DAY_MS = 24 * 60 * 60 * 1_000

/** A word for each text that is another one of every request. */
const settled = (value: unknown, n: number, names: ReadonlyMap<string, string>): unknown => {
  // A list has the members of every request.
  const withoutSecrets = (key: string, inner: unknown): unknown =>
    /^(key|hash|prefix|lastFour|signingSecret|count)$/.test(key) && typeof inner !== 'object' ? `<${key}>` : inner
  const text = [...names].reduce((all, [found, word]) => all.replaceAll(found, `<${word}>`), JSON.stringify(value, withoutSecrets))
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Math.abs(Date.parse(time) - Date.now()) < DAY_MS ? '<now>' : time))
      .replaceAll(/\b[0-9a-f]{64}\b/g, '<digest>')
      .replaceAll(/"[\w-]{21}"/g, '"<verification>"')
      .replaceAll(String(n), '<n>'),
  )
}

/** What follows from the events of a request comes when it comes. */
const FOLLOWING: readonly string[] = ['pipeline', 'service']

type Operation = (typeof operations)[number]

/** The request of an operation by its place in the list; `changed`: the field that has its other value. Answers all of its fields, and what it did. */
const tried = async ({ id, method, path }: Operation, place: number, changed: string | null) => {
  const n = ++made
  const names = new Map<string, string>()
  const name = (word: string, text: string): string => {
    names.set(text, word)
    return text
  }
  const filled = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll('#', String(n))))
  const client: Client = { ...shop, request: (verb, to, body, ...more) => shop.request(verb, to, filled(body), ...more) }
  const prepared = await bodyCases[id]?.[place]?.({
    client,
    n,
    name,
    newLink: () => newLink(world.stores, shop, 'owner@every-body.example'),
  })
  if (prepared === undefined) throw new Error(`${id} has no request ${place}`)
  const { body, others, refused = [], headers = {}, look }: Prepared = prepared
  const sent = changed === null ? body : { ...body, [changed]: others[changed] }
  const { log } = world.stores
  const [requestId, before] = [`trace-${n}`, await log.head()]
  const answer = await client.request(method, prepared.path ?? path, sent, { 'X-Request-Id': requestId, ...headers })
  const { events } = await log.readAll(before, 1_000, { workspaceId: client.applied.workspace.id })
  const own = events.filter(({ meta }) => meta.requestId === requestId && !FOLLOWING.includes(meta.actor))
  const written = own.map(({ type, data }) => JSON.stringify(settled({ type, data }, n, names))).toSorted()
  const seen = settled((await look?.()) ?? null, n, names)
  const did = { status: answer.status, answer: settled(answer.body, n, names), written, seen }
  return { fields: Object.keys(body), others: Object.keys(others), refused, did }
}

type TriedBody = Awaited<ReturnType<typeof tried>>['did']

/** An answer may repeat what it was sent: what counts is what was written, where something is. */
const isDropped = (did: TriedBody, otherwise: TriedBody): boolean => {
  const effect = ({ status, answer, written, seen }: TriedBody) =>
    did.written.length > 0 ? { status, written, seen } : { status, answer, seen }
  return isDeepStrictEqual(effect(did), effect(otherwise))
}

it('every operation that takes a body is known here', () => {
  expect(operations.length).toBeGreaterThan(20)
  expect(Object.keys(bodyCases).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
})

it.each(operations)('$id accepts no field and drops it', async (operation) => {
  const known = new Set<string>()
  for (const place of (bodyCases[operation.id] ?? []).keys()) {
    const { fields, refused, did } = await tried(operation, place, null)
    expect(did).toMatchObject({ answer: { success: true } })
    // Else chance could look like an effect.
    expect((await tried(operation, place, null)).did).toEqual(did)
    const [dropped, refusedNow]: [string[], string[]] = [[], []]
    for (const field of fields) {
      const { others, did: otherwise } = await tried(operation, place, field)
      if (!others.includes(field) || isDropped(did, otherwise)) dropped.push(field)
      // A value that is refused says nothing of one that is taken.
      if (otherwise.status >= 400) refusedNow.push(field)
      known.add(field)
    }
    expect({ place, dropped, refused: refusedNow.toSorted() }).toEqual({ place, dropped: [], refused: refused.toSorted() })
  }
  expect([...known].toSorted()).toEqual(operation.fields.toSorted())
})
