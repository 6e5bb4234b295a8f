import { createEventLog, type EventLog, type KeyRing, memoryKeyRing, type Recorded, upcasters } from '@tidings/codec'
import {
  asContactId,
  asListId,
  asWorkspaceId,
  bucketOf,
  type ContactEvent,
  contactStream,
  contactSubject,
  type DomainEvent,
  eventDeclarations,
  listStream,
  membersStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { appendsOf } from '../../src/webhooks/appends.ts'
import { occurrencesOf } from '../../src/webhooks/occurrences.ts'
import { createPayloadReader } from '../../src/webhooks/payload-reader.ts'
import { createPayloads, type Payloads } from '../../src/webhooks/payloads.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const contactId = asContactId('0192b1f0-0000-7000-8000-00000000000a')
const listId = asListId('0192b1f0-0000-7000-8000-00000000000b')
const stream = contactStream(workspaceId, contactId)

let keyRing: KeyRing
let log: EventLog
let payloads: Payloads
beforeEach(() => {
  // What is cached is read again after some seconds, in which this process may stand still.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  keyRing = memoryKeyRing()
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  payloads = createPayloads(createPayloadReader(log, keyRing))
  keyRing.onForget(payloads.clear)
})
afterEach(() => vi.restoreAllMocks())

let requests = 0
const append = async (to: string, ...events: readonly DomainEvent[]): Promise<void> => {
  const commandId = crypto.randomUUID()
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, ++requests)).toISOString()
  await log.append(to, 'any', events, { commandId, workspaceId, actor: 'test', requestId: `request-${requests}`, at })
}

const details = { firstName: 'Ada', lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} }
const created: ContactEvent = {
  type: 'ContactCreated',
  data: { ...details, contactId, email: 'ada@example.com', emailClaimId: null, phone: null, phoneClaimId: null, source: 'api' },
}
const consent = (from: 'never_subscribed' | 'subscribed', to: 'subscribed' | 'unsubscribed'): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, channel: 'email', from, to, source: 'api', ip: null, userAgent: null, message: null },
})
const renamed = (firstName: string): ContactEvent => ({ type: 'ContactDetailsChanged', data: { contactId, firstName } })

const dataOf = async (event: string, revision: number): Promise<unknown> => {
  const payload = await payloads.of({ workspaceId, event, source: `${stream}@${revision}` })
  return payload === null ? null : JSON.parse(payload.data)
}

const changeFor = (causationId: string, firstName: string) =>
  log.append(stream, 'any', [renamed(firstName)], {
    ...{ commandId: `change to ${firstName}`, workspaceId, actor: 'test', requestId: 'job-7', causationId, at: '2026-01-02T00:00:00.000Z' },
  })

it('a delivery that was asked for again says the same, and a test says nothing of the log', async () => {
  await append(stream, created)
  const of = { workspaceId, event: 'contact.created' }
  const first = await payloads.of({ ...of, source: `${stream}@0` })
  expect(first).not.toBeNull()
  payloads.clear()
  expect(await payloads.of({ ...of, source: `again:${stream}@0` })).toEqual(first)
  expect(await payloads.of({ ...of, source: 'test@0192b1f0' })).toEqual({
    ...{ causeId: '0192b1f0', event: 'webhook.test', data: '{}', meta: null },
  })
})

it('two requests of one id at one moment are two occurrences, and what one request changes in two steps is one', async () => {
  await append(stream, created)
  for (const [cause, name] of [
    ['c1', 'Grace'],
    ['c2', 'Hedy'],
    ['c2', 'Lise'],
  ] as const)
    await changeFor(cause, name)
  expect(appendsOf(await log.readStream(workspaceId, stream)).map((one) => one.length)).toEqual([1, 1, 2])
  expect(await dataOf('contact.updated', 1)).toMatchObject({ firstName: 'Grace' })
  expect(await dataOf('contact.updated', 2)).toMatchObject({ firstName: 'Lise' })
  expect(await dataOf('contact.updated', 3)).toBeNull()
})

it('the payload of a creation holds everything that came with it', async () => {
  await append(stream, created, consent('never_subscribed', 'subscribed'))
  expect(await dataOf('contact.created', 0)).toMatchObject({ id: contactId, email: 'ada@example.com', emailConsent: 'subscribed' })
  expect(await dataOf('contact.updated', 1)).toBeNull()
})

it('the payload of an update is the contact as it was then, whenever it is made', async () => {
  await append(stream, created)
  await append(stream, renamed('Augusta'), consent('never_subscribed', 'subscribed'))
  await append(stream, renamed('Ada'))
  expect(await dataOf('contact.updated', 1)).toMatchObject({ firstName: 'Augusta', emailConsent: 'subscribed' })
  expect(await dataOf('contact.updated', 2)).toBeNull()
  expect(await dataOf('contact.updated', 3)).toMatchObject({ firstName: 'Ada' })
})

it('of a long history little is read, and a long append is reported whole', async () => {
  const inOne = (names: readonly string[]) => append(stream, ...names.map(renamed))
  await append(stream, created)
  for (let n = 1; n <= 40; n++) await append(stream, renamed(`Ada ${n}`))
  await dataOf('contact.updated', 40)
  const reads = vi.spyOn(log, 'readStream')
  expect(await dataOf('contact.updated', 39)).toMatchObject({ firstName: 'Ada 39' })
  expect(reads.mock.calls[0]).toEqual([workspaceId, stream, { from: 35, limit: 9 }])

  await inOne(Array.from({ length: 80 }, (_, n) => `Grace ${n}`))
  await append(stream, renamed('Hedy'))
  const made = await Promise.all(Array.from({ length: 80 }, (_, n) => dataOf('contact.updated', 41 + n)))
  expect(made.filter((data) => data !== null)).toMatchObject([{ firstName: 'Grace 79' }])
})

it('of a contact that was read a moment ago, only what happened since is read', async () => {
  await append(stream, created)
  for (const name of ['Augusta', 'Grace', 'Hedy', 'Lise']) await append(stream, renamed(name))
  const [, , second, third] = appendsOf(await log.readStream<Recorded>(workspaceId, stream))
  expect(await dataOf('contact.updated', 1)).toMatchObject({ firstName: 'Augusta' })
  const reads = vi.spyOn(log, 'readStream')
  for (const one of [second!, third!]) payloads.put(one)
  expect(await dataOf('contact.updated', 2)).toMatchObject({ firstName: 'Grace', email: 'ada@example.com' })
  expect(await dataOf('contact.updated', 3)).toMatchObject({ firstName: 'Hedy' })
  expect(reads.mock.calls).toEqual([])
})

it('a change that comes alone is read once, with the history of its contact', async () => {
  await append(stream, created)
  for (const name of ['Augusta', 'Grace', 'Hedy']) await append(stream, renamed(name))
  const reads = vi.spyOn(log, 'readStream')
  expect(await dataOf('contact.updated', 2)).toMatchObject({ firstName: 'Grace', email: 'ada@example.com' })
  expect(await dataOf('contact.updated', 3)).toMatchObject({ firstName: 'Hedy' })
  expect(reads.mock.calls).toEqual([
    [workspaceId, stream, { from: 0, limit: 7 }],
    [workspaceId, stream, { from: 0, limit: 8 }],
  ])
})

it('a contact whose later state is cached is reported as it was before', async () => {
  await append(stream, created)
  for (const name of ['Augusta', 'Grace', 'Hedy']) await append(stream, renamed(name))
  const names: unknown[] = []
  for (const revision of [3, 1, 2, 3]) names.push(await dataOf('contact.updated', revision))
  expect(names).toMatchObject(['Hedy', 'Augusta', 'Grace', 'Hedy'].map((firstName) => ({ firstName, email: 'ada@example.com' })))
})

it('many causes that are asked for next are read at once, and say the same', async () => {
  const members = membersStream(workspaceId, listId, bucketOf(contactId))
  await append(listStream(workspaceId, listId), { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } } as DomainEvent)
  for (let n = 0; n < 12; n++) await append(members, { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } })
  const happened = await log.readStream(workspaceId, members)
  const asked = happened.map(({ revision, position }) => ({
    workspaceId,
    event: 'list.subscribed',
    source: `${members}@${revision}`,
    position,
  }))
  const alone = await Promise.all(asked.map((one) => payloads.of(one)))
  payloads.clear()
  // The first and the last append of the read may be incomplete.
  const reads = vi.spyOn(log, 'readStream')
  await payloads.prepare(asked)
  expect(await Promise.all(asked.map((one) => payloads.of(one)))).toEqual(alone)
  expect(reads.mock.calls.filter(([, of]) => of === members)).toHaveLength(3)
})

it('what is erased while many are read is not cached', async () => {
  for (let n = 0; n < 12; n++) await append(stream, n === 0 ? created : renamed(`Ada ${n}`))
  const asked = (await log.readStream(workspaceId, stream)).map(({ revision, position }) => ({
    ...{ workspaceId, event: revision === 0 ? 'contact.created' : 'contact.updated', source: `${stream}@${revision}`, position },
  }))
  const preparing = payloads.prepare(asked)
  await keyRing.shred(workspaceId, contactSubject({ contactId }))
  await preparing
  expect(await Promise.all(asked.map((one) => payloads.of(one)))).toEqual(asked.map(() => null))
})

it('what is cached says the same as the log', async () => {
  await append(stream, created, consent('never_subscribed', 'unsubscribed'))
  const fromLog = [await dataOf('contact.created', 0), await dataOf('contact.unsubscribed', 1)]
  payloads.clear()
  for (const one of appendsOf(await log.readStream<Recorded>(workspaceId, stream))) payloads.put(one)
  expect([await dataOf('contact.created', 0), await dataOf('contact.unsubscribed', 1)]).toEqual(fromLog)
})

it('an erased person is not reported, though cached', async () => {
  await append(stream, created)
  await append(stream, renamed('Augusta'))
  for (const one of appendsOf(await log.readStream<Recorded>(workspaceId, stream))) payloads.put(one)
  expect(await dataOf('contact.created', 0)).not.toBeNull()
  await keyRing.shred(workspaceId, contactSubject({ contactId }))
  expect(await dataOf('contact.created', 0)).toBeNull()
  expect(await dataOf('contact.updated', 1)).toBeNull()
})

it('a person whose erasure was asked for is not reported, though the key is still there', async () => {
  const members = membersStream(workspaceId, listId, bucketOf(contactId))
  await append(stream, created)
  await append(stream, renamed('Augusta'))
  await append(listStream(workspaceId, listId), { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } })
  await append(members, { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } })
  expect(await dataOf('contact.created', 0)).not.toBeNull()
  await append(stream, { type: 'ContactErasureRequested', data: { contactId } })
  // A process that hears of it does the same.
  keyRing.withhold(workspaceId, contactSubject({ contactId }))
  expect(await dataOf('contact.created', 0)).toBeNull()
  expect(await dataOf('contact.updated', 1)).toBeNull()
  expect(await payloads.of({ workspaceId, event: 'list.subscribed', source: `${members}@0` })).toBeNull()
})

it('nothing about an erased person is reported, though it names no one', async () => {
  const members = membersStream(workspaceId, listId, bucketOf(contactId))
  await append(stream, created)
  await append(listStream(workspaceId, listId), { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } })
  await append(members, { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } })
  const payload = () => payloads.of({ workspaceId, event: 'list.subscribed', source: `${members}@0` })
  expect(await payload()).not.toBeNull()
  await keyRing.shred(workspaceId, contactSubject({ contactId }))
  expect(await payload()).toBeNull()
  await append(stream, { type: 'ContactErasureRequested', data: { contactId } }, { type: 'ContactErased', data: { contactId } })
  await append(members, { type: 'ContactRemovedFromList', data: { listId, contactId, reason: 'erasure' } })
  expect(
    appendsOf(await log.readStream<Recorded>(workspaceId, stream))
      .flatMap(occurrencesOf)
      .map(({ name }) => name),
  ).toEqual(['contact.created'])
  expect(await payloads.of({ workspaceId, event: 'list.unsubscribed', source: `${members}@1` })).toBeNull()
})

it('a person who is erased while their history is read is not cached', async () => {
  await append(stream, created)
  for (const name of ['Augusta', 'Grace']) await append(stream, renamed(name))
  const late = log.readStream
  const shredded = vi.spyOn(log, 'readStream').mockImplementation(async (...asked: Parameters<typeof late>) => {
    const events = await late(...asked)
    await keyRing.shred(workspaceId, contactSubject({ contactId }))
    return events as never
  })
  await dataOf('contact.updated', 1)
  shredded.mockRestore()
  expect(await dataOf('contact.updated', 2)).toBeNull()
})

it('a new member of a list is reported with its name, under the id of the event', async () => {
  const members = membersStream(workspaceId, listId, bucketOf(contactId))
  await append(listStream(workspaceId, listId), { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } })
  await append(members, { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } })
  const payload = await payloads.of({ workspaceId, event: 'list.subscribed', source: `${members}@0` })
  expect(JSON.parse(payload?.data ?? '')).toEqual({ listId, listName: 'VIP', contactId, occurredAt: expect.any(String) })
  expect(payload?.causeId).toBe((await log.readStream(workspaceId, members))[0]?.id)
})
