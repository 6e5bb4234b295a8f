import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenApi, type Operation, operationsOf } from '../contract/openapi.ts'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let api: OpenApi

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', 'lists: [{ name: Newsletter, type: static }]')
  api = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApi
})
afterAll(() => world.stop())

const exampleOf = (content: NonNullable<Operation['requestBody']>['content'] | undefined): unknown => {
  const name = content?.['application/json']?.schema.$ref?.split('/').at(-1) ?? ''
  return api.components.schemas[name]?.examples?.[0]
}

/** The same text for every id, time and secret, which differ from one run to the next. */
const settled = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"/g, '"<id>"')
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"')
      .replaceAll(/"[0-9a-f]{64}"/g, '"<secret>"'),
  )

/** The operations whose body has an example, in an order in which each finds what it needs; and what of the answer the order changes. */
const inOrder: Readonly<Record<string, object>> = {
  'profiles.create': {},
  'profiles.upsert': {},
  'profiles.blacklist': { emailSuppressed: true },
  'profiles.liftBlacklist': {},
  'profiles.updateByEmail': { firstName: 'Augusta', customProperties: { shoeSize: 38, city: 'London' } },
  'messages.sendEmail': {},
  'otp.verify': {},
  'events.ingest': {},
  'tags.create': {},
  'lists.addMembers': {},
  'lists.removeMembers': {},
}

/** Their examples need more than a workspace: a user, a link, a provider, a connector, an origin, a public name server, the id of a contact, a browser. */
const notSent = [
  'apiKeys.create',
  'apiKeys.createPublishable',
  'auth.link',
  'auth.login',
  'forms.subscribe',
  'messages.sendSms',
  'otp.send',
  'profiles.update',
  'push.register',
  'storeEvents.report',
  'webhooks.create',
]

it('every example of a body is accepted, and the answer is the example of the answer', async () => {
  const { body } = await acme.request('GET', '/public/lists')
  const [list] = (body.data as Readonly<{ items: readonly Readonly<{ id: string }>[] }>).items
  const operations = new Map(operationsOf(api).map((one) => [one.operation.operationId, one]))
  const withExample = [...operations].flatMap(([id, { operation }]) => (operation.requestBody ? [id] : []))
  expect(withExample.toSorted()).toEqual([...Object.keys(inOrder), ...notSent].toSorted())
  for (const [operationId, changed] of Object.entries(inOrder)) {
    const found = operations.get(operationId)
    const { requestBody, responses } = found?.operation ?? { responses: {} }
    const [status, success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
    const answer = await acme.request(
      found?.method ?? '',
      found?.path.replace('/api/v1', '').replace('{id}', list?.id ?? '') ?? '',
      exampleOf(requestBody?.content),
    )
    expect([operationId, answer.status, answer.body.message]).toEqual([operationId, Number(status), undefined])
    const documented = exampleOf(success?.content) as Readonly<{ data: object }>
    expect([operationId, settled(answer.body)]).toEqual([operationId, settled({ ...documented, data: { ...documented.data, ...changed } })])
  }
})
