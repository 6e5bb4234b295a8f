import type { EventIngested } from '@tidings/contracts'
import { asFlowId, type ContactId, type EnrolmentEvent, enrolmentStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Client, shownFetch } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { listsOf } from './support/lists.ts'
import { outboxOf } from './support/outbox.ts'
import { withinOneMinute } from './support/within-one-minute.ts'
import { startWorld, type World } from './support/world.ts'

const FILE = `
templates:
  - { name: hello, channel: email, subject: "Hi {{firstName|there}}", html: "<p><a href='{{unsubscribeUrl}}'>out</a></p>" }
  - { name: thanks, channel: email, subject: "Order {{orderId}}", html: "<p>{{total}}</p>" }
  - { name: big, channel: email, subject: "A big one, {{firstName}}", html: "<p>!</p>" }
lists: [{ name: VIP, type: static }]
flows:
  - { name: Welcome, trigger: { type: contact_created }, steps: [ { send: { channel: email, template: hello, from: FROM } } ] }
  - { name: VIP, trigger: { type: list_joined, list: VIP }, steps: [ { wait: { minutes: 0 } }, { send: { channel: email, template: big, from: FROM } } ] }
  - name: After order
    trigger: { type: custom_event, event: order_placed }
    steps:
      - send: { channel: email, template: thanks, from: FROM }
      - branch:
          rule: { all: [ { field: event.order_placed.count, op: gte, value: 1 }, { field: firstName, op: exists, value: true } ] }
          then: [ { send: { channel: email, template: big, from: FROM } } ]
`

let world: World
let acme: Client

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('flowing', FILE.replaceAll('FROM', 'hello@flowing.example'))
})
afterAll(() => world?.stop())

let people = 0
const addressOf = (n: number): string => `person-${n}@flowing.example`
const person = async (more: object = {}): Promise<Readonly<{ id: ContactId; email: string }>> => {
  const email = addressOf(++people)
  return dataOf(await acme.request('POST', '/public/profiles', { email, emailConsent: 'subscribed', ...more }), 201)
}
const ingest = async (body: object, client = acme): Promise<EventIngested> =>
  dataOf(await client.request('POST', '/events/ingest', body), 200)
const subjectsTo = async (email: string) =>
  (await outboxOf(world).list(`?channel=email&to=${encodeURIComponent(email)}`)).map(({ subject }) => subject).toReversed()
const gets = async (email: string, ...subjects: string[]) =>
  expect(
    await eventually(
      () => subjectsTo(email),
      (found) => found.length >= subjects.length,
    ),
  ).toEqual(subjects)
const runsOf = (flow: string, contactId: ContactId) => {
  const { id } = acme.applied.workspace
  return world.stores.log.readStream<EnrolmentEvent>(id, enrolmentStream(id, asFlowId(acme.applied.flows[flow] ?? ''), contactId))
}
const over = async (flow: string, contactId: ContactId) => {
  const events = await eventually(
    () => runsOf(flow, contactId),
    (all) => all.at(-1)?.type === 'ContactLeftFlow',
  )
  const last = events.at(-1)
  return last?.type === 'ContactLeftFlow' ? last.data.reason : null
}

describe('a contact enters a flow', () => {
  it('by being created, and gets its mail', async () => {
    const ann = await person({ firstName: 'Ann' })
    expect(await over('Welcome', ann.id)).toBe('finished')
    await gets(ann.email, 'Hi Ann')
  })

  it('by joining a list', async () => {
    const bob = await person({ firstName: 'Bob' })
    await listsOf(acme).add(acme.applied.lists.VIP ?? '', { contactIds: [bob.id] })
    expect(await over('VIP', bob.id)).toBe('finished')
    await gets(bob.email, 'Hi Bob', 'A big one, Bob')
  })

  it('by an event, which is answered with the flows that it entered, and goes through a branch to a second mail', async () => {
    const properties = { orderId: 'A-7', total: 12.5, firstName: 'Eve' }
    const cleo = await withinOneMinute(async () => {
      const one = await person({ firstName: 'Cleo' })
      await over('Welcome', one.id)
      expect(await ingest({ event: 'order_placed', contactId: one.id, properties })).toMatchObject({ status: 'ok', enrolled: 1 })
      expect(await ingest({ event: 'order_placed', contactId: one.id, properties })).toMatchObject({ status: 'ok', enrolled: 0 })
      return one
    })
    expect(await over('After order', cleo.id)).toBe('finished')
    await gets(cleo.email, 'Hi Cleo', 'Order A-7', 'A big one, Cleo')
  })

  it('not by an event that no flow begins with, nor by one of another workspace', async () => {
    const dora = await person()
    const other = await world.workspace('flowless')
    expect(await ingest({ event: 'viewed', contactId: dora.id })).toMatchObject({ enrolled: 0 })
    expect(await ingest({ event: 'order_placed', email: dora.email }, other)).toMatchObject({ enrolled: 0, created: true })
    expect(await runsOf('After order', dora.id)).toEqual([])
  })
})

describe('marketing of a flow', () => {
  it('goes to no contact that has not subscribed, and the message says why', async () => {
    const eve = await person({ emailConsent: 'unsubscribed' })
    expect(await over('Welcome', eve.id)).toBe('no_consent')
    const queued = (await runsOf('Welcome', eve.id)).find((event) => event.type === 'FlowMessageQueued')
    const messageId = queued?.type === 'FlowMessageQueued' ? queued.data.messageId : ''
    expect(await acme.messageWith(messageId, 'skipped')).toMatchObject({ failureReason: 'no_consent' })
    expect(await subjectsTo(eve.email)).toEqual([])
  })

  it('can be unsubscribed from with one click', async () => {
    const finn = await person({ firstName: 'Finn' })
    await over('Welcome', finn.id)
    const [mail] = await outboxOf(world).list(`?channel=email&to=${encodeURIComponent(finn.email)}`)
    const link = /<(http[^>]+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? ''
    const { pathname, search } = new URL(link)
    const answer = await shownFetch(world.settle, `${world.url}${pathname}${search}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(answer.status).toBe(200)
    await ingest({ event: 'order_placed', contactId: finn.id })
    expect(await over('After order', finn.id)).toBe('no_consent')
    expect(await subjectsTo(finn.email)).toEqual(['Hi Finn'])
  })
})
