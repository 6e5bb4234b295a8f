import { createEventLog, memoryKeyRing, SubjectErased, upcasters, uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, contact, contactStream, contactSubject, eventDeclarations, Refused } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { RequestRefused } from '@tidings/http'
import { createUniqueContacts } from '@tidings/unique-contacts'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { acceptTo } from '../src/messages/accept-email.ts'
import { acceptSms } from '../src/messages/accept-sms.ts'
import type { Accepting, Senders } from '../src/messages/accepting.ts'
import { orUnavailable } from '../src/unless-erased.ts'

const workspaceId = asWorkspaceId(uuidv7())
const context = () => ({ commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r', at: '2026-11-28T12:00:00.000Z' })
const ip = '203.0.113.7'

/** A person who was looked up, and erased before anything was written about them. */
const erasedMeanwhile = async () => {
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const commands = createCommandRunner({ log })
  const uniqueContacts = createUniqueContacts({ runner: commands, claimDigest: keyRing.claimDigest })
  const [email, phone] = ['ada@example.com', '+972501234567'] as const
  const { contactId } = await uniqueContacts.create({ context: context(), email, phone, details: { firstName: 'Ada' }, source: 'test' })
  const stream = contactStream(workspaceId, contactId)
  await commands.execute({ decider: contact, stream, command: { type: 'RequestErasure', data: { contactId } }, context: context() })
  await keyRing.shred(workspaceId, contactSubject({ contactId }))
  const senders: Senders = {
    senderDomains: new Map([['acme.example', { verified: true, blocklisted: false }]]),
    senderAddresses: new Map([['hello@acme.example', { name: null, status: 'verified' }]]),
    smsSenders: new Map([['acme', { senderId: 'ACME', status: 'approved' }]]),
  }
  const notReached = () => expect.unreachable('no template, and no content that is too large for an event')
  const deps: Accepting = {
    ...{ commands, uniqueContacts },
    directory: { workspace: async () => senders, template: notReached },
    contents: { put: notReached },
    credits: { available: async () => 100, availableNow: async () => 100 },
    links: { unsubscribeUrl: notReached },
  }
  const looked = { contactId, email, phone, firstName: 'Ada', lastName: null, customProperties: {} }
  const messages = async () => {
    const { events } = await log.readAll('start', 100)
    return events.flatMap(({ type, data }) => (type === 'EmailAccepted' || type === 'SmsAccepted' ? [Object(data).contactId] : []))
  }
  return { deps, looked, contactId, messages }
}

describe('a message to a person who was erased since they were looked up', () => {
  const mail = { fromEmail: 'hello@acme.example', subject: 'Hello', html: '<p>Hi</p>' }
  const text = { senderId: 'ACME', body: 'Hello' }

  test('by id is for someone unknown, and nothing is written', async () => {
    const { deps, looked, contactId, messages } = await erasedMeanwhile()
    const email = acceptTo(deps, { context: context(), body: { ...mail, contactId }, ip }, { recipient: looked })
    await expect(email).rejects.toThrow(new Refused('contact_not_found'))
    const sms = acceptSms(deps, { context: context(), body: { ...text, contactId }, ip }, { type: 'contact', contact: looked })
    await expect(sms).rejects.toThrow(new Refused('contact_not_found'))
    expect(await messages()).toEqual([])
  })

  test('by address is for a stranger', async () => {
    for (const channel of ['email', 'sms'] as const) {
      const { deps, looked, contactId, messages } = await erasedMeanwhile()
      const { email, phone } = looked
      const { created } =
        channel === 'email'
          ? await acceptTo(deps, { context: context(), body: { ...mail, to: email }, ip }, { recipient: looked })
          : await acceptSms(deps, { context: context(), body: { ...text, to: phone }, ip }, { type: 'contact', contact: looked })
      expect(created).toBe(true)
      const [message] = await messages()
      expect(message).toEqual(expect.any(String))
      expect(message).not.toBe(contactId)
    }
  })
})

test('what meets an erasure anywhere else is asked to come again, and is no fault of ours', async () => {
  const app = Fastify()
  const seen: unknown[] = []
  app.setErrorHandler((error, _, reply) => {
    seen.push(error)
    return reply.code(error instanceof RequestRefused ? error.problem.status : 500).send()
  })
  await app.register(async (plugin) => {
    plugin.setErrorHandler(orUnavailable)
    plugin.get('/gone', async () => Promise.reject(new SubjectErased(workspaceId, 'contact:1')))
    plugin.get('/broken', async () => Promise.reject(new Error('a fault')))
  })
  const statuses = [(await app.inject('/gone')).statusCode, (await app.inject('/broken')).statusCode]
  await app.close()
  expect(statuses).toEqual([503, 500])
  expect(seen).toMatchObject([{ problem: { headers: { 'Retry-After': '1' } } }, { message: 'a fault' }])
})
