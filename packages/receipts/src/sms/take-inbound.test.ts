import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  contact,
  contactStream,
  contactSubject,
  type Decider,
  type DomainEvent,
  eventDeclarations,
  INSTALLATION,
  senderNumbers,
  senderNumbersStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TakenSms } from './inbound.ts'
import { type TakingInbound, takeInbound } from './take-inbound.ts'

const workspaceId = '0192b1f0-0000-7000-8000-000000000001'
const phone = '+972501234567'
const at = '2026-01-01T00:09:59.000Z'

let contactId: string
let store: ReturnType<typeof memoryEventStore>
let taking: TakingInbound
let lifted: string[]
let keyRing: ReturnType<typeof memoryKeyRing>

const execute = <C, E extends DomainEvent, S>(decider: Decider<C, E, S>, stream: string, command: C) =>
  taking.runner.execute({
    decider,
    stream,
    command,
    context: { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at },
  })

beforeEach(async () => {
  store = memoryEventStore()
  keyRing = memoryKeyRing()
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const id = crypto.randomUUID()
  contactId = id
  taking = {
    runner: createCommandRunner({ log }),
    lastSmsTo: async (of) =>
      of.phone === phone && of.senderKey === 'ACME' ? { workspaceId, contactId: id, messageId: 'message-1', phone, sender: 'Acme' } : null,
    contactWith: async () => null,
    liftFacts: async ({ phone: number }) => void lifted.push(number),
    showsAll: async () => true,
  }
  lifted = []
  const created = { workspaceId, slug: 'acme', name: 'Acme', plan: 'pro', country: 'IL', tracking: false } as const
  await execute(workspace, workspaceStream(workspaceId), { type: 'CreateWorkspace', data: created })
  const details = { phone: { value: phone, claimId: 'c' }, details: {}, source: 'api' }
  await execute(contact, contactStream(workspaceId, id), { type: 'CreateContact', data: { contactId: id, ...details } })
})

let ids = 0
const text = (body: string, more: Partial<TakenSms> = {}) =>
  takeInbound(taking, {
    providerMessageId: 'SM1',
    id: `SM${++ids}`,
    requestId: 'r',
    from: phone,
    to: 'acme',
    body,
    at,
    ...more,
  })
const types = async (): Promise<readonly string[]> => (await store.readAll('start', 100)).events.slice(2).map(({ type }) => type)
const smsConsent = async () =>
  (await taking.runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state.consents.sms
const answering = (replies: Readonly<{ stop?: string; start?: string; help?: string }>) =>
  execute(workspace, workspaceStream(workspaceId), {
    type: 'SetSmsReplies',
    data: { stop: null, start: null, help: null, ...replies },
  })

describe('a text message from a person', () => {
  test.each([
    (n: string) => n.slice(1),
    (n: string) => n.replace('+972', '+972 (0)'),
    (n: string) => n.replace('+972', '9720'),
    (n: string) => `\u200e${n.replace('2', '٢')}`,
  ])('is from him in every spelling of his number', async (spelled) => {
    expect(await text('STOP', { from: spelled(phone) })).toBe('stop')
    expect(await smsConsent()).toBe('unsubscribed')
  })

  test('is recorded once by its id, and again under another', async () => {
    for (const id of ['SMa', 'SMa', 'SMb']) expect(await text('STOP', { id })).toBe('stop')
    expect(await types()).toEqual(['ContactConsentRecorded', 'ContactSuppressed', 'ContactConsentRecorded'])
  })

  test('STOP, START and STOP in one minute is stopped, where the id is only guessed from the text', async () => {
    const said = (body: string, id: string, isGuessed = true) => text(body, { id, ...(isGuessed && { isIdGuessed: true }) })
    for (const [body, id] of [
      ['STOP', 'stop'],
      ['START', 'start'],
      ['STOP', 'stop'],
    ] as const)
      await said(body, id)
    expect(await smsConsent()).toBe('unsubscribed')
    // Delivered again it is the same message, and so is an older START.
    const before = (await types()).length
    for (const [body, id] of [
      ['STOP', 'stop'],
      ['START', 'start'],
    ] as const)
      await said(body, id)
    expect([await smsConsent(), (await types()).length]).toEqual(['unsubscribed', before])
    // An id of the provider's is believed: an old STOP that comes once more undoes no later START.
    for (const [body, id] of [
      ['STOP', 'SMx'],
      ['START', 'SMy'],
      ['STOP', 'SMx'],
    ] as const)
      await said(body, id, false)
    expect(await smsConsent()).toBe('subscribed')
  })

  test('START says that the number is reached, and nothing else does', async () => {
    for (const body of ['STOP', 'HELP', 'thanks']) await text(body)
    expect(lifted).toEqual([])
    await text('START')
    expect(lifted).toEqual([phone])
  })

  test('of a number written without its plus is the same', async () => {
    expect(await text('STOP', { from: phone.slice(1) })).toBe('stop')
  })

  test('is asked for again while it is not known whose it is, and no workspace’s once that is known', async () => {
    taking = { ...taking, showsAll: async () => false }
    expect(await text('STOP', { from: '+972509999999' })).toBe('behind')
    // Another workspace may have written since: what is shown decides nothing.
    expect(await text('STOP')).toBe('behind')
    expect(await types()).toEqual([])
    taking = { ...taking, showsAll: async () => true }
    expect(await text('STOP')).toBe('stop')
    expect(await text('STOP', { from: '+972509999999' })).toBe('unknown')
  })

  test('that says nothing is not looked up', async () => {
    taking = { ...taking, showsAll: () => Promise.reject(new Error('asked')) }
    for (const body of ['', '👍 !', 'thank you '.repeat(20)]) expect(await text(body)).toBe('other')
  })

  test('in other words withdraws too, as the gateway reads it and as the workspace says', async () => {
    await execute(workspace, workspaceStream(workspaceId), { type: 'SetStopWords', data: { words: ['no more', 'baja'] } })
    const stops: readonly Partial<TakenSms>[] = [
      { body: 'Revoke.' },
      { body: 'opt out' },
      { body: ' "No more!" ' },
      { body: 'BAJA' },
      { body: 'genug', keyword: 'stop' },
      { body: 'baja', keyword: 'help' },
    ]
    for (const { body = '', ...more } of stops) {
      await text('START')
      expect(await text(body, more)).toBe('stop')
      expect(await smsConsent()).toBe('unsubscribed')
    }
    expect(await text('wieder', { keyword: 'start' })).toBe('start')
    for (const body of ['please stop it', 'no', 'bajas']) expect(await text(body)).toBe('other')
    expect(await smsConsent()).toBe('subscribed')
  })

  test('withdraws the consent of the person who was written to, also where he has another number by now', async () => {
    const moved = { contactId, phone: { value: '+972501111111', claimId: 'd' } }
    await execute(contact, contactStream(workspaceId, contactId), { type: 'UpdateContact', data: moved })
    expect(await text('START')).toBe('start')
    expect(await smsConsent()).toBe('never_subscribed')
    expect(await text('STOP')).toBe('stop')
    expect(await smsConsent()).toBe('unsubscribed')
  })

  test('of an erased person, or to a contact that is gone, changes nothing', async () => {
    await keyRing.shred(workspaceId, contactSubject({ contactId }))
    const { lastSmsTo } = taking
    taking = { ...taking, lastSmsTo: async (of) => ({ ...(await lastSmsTo(of))!, contactId: crypto.randomUUID() }) }
    expect(await text('STOP')).toBe('unknown')
    expect(await types()).toEqual([])
  })
})

describe('an answer', () => {
  test('is one message in ten minutes for each keyword', async () => {
    await answering({ help: 'Write to us.', start: 'Welcome back.' })
    for (const body of ['HELP', 'INFO', 'help', 'START', 'START']) await text(body)
    const accepted = (await types()).filter((type) => type === 'SmsAccepted')
    expect(accepted).toHaveLength(2)
    await text('HELP', { at: '2026-01-01T00:10:00.000Z' })
    expect((await types()).filter((type) => type === 'SmsAccepted')).toHaveLength(3)
  })

  test('is not given where the workspace has none, or is not active', async () => {
    await text('HELP')
    await answering({ help: 'Write to us.' })
    await execute(workspace, workspaceStream(workspaceId), { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    expect(await text('STOP')).toBe('stop')
    await text('HELP')
    expect(await types()).not.toContain('SmsAccepted')
  })
})

describe('a text to an own number', () => {
  const other = '0192b1f0-0000-7000-8000-000000000002'
  const number = '+972501110000'
  let phones: Map<string, string>

  const assign = (ofWorkspace: string, senderId: string, wanted: string | null) =>
    taking.runner.execute({
      decider: senderNumbers,
      stream: senderNumbersStream(),
      command: { type: 'AssignSenderNumbers', data: { workspaceId: ofWorkspace, numbers: [{ senderId, number: wanted }] } },
      context: { commandId: crypto.randomUUID(), workspaceId: INSTALLATION, actor: 'operator', requestId: 'r', at },
    })
  const toOwn = (body: string, more: Partial<TakenSms> = {}) => text(body, { to: number, ...more })

  beforeEach(async () => {
    phones = new Map([[workspaceId, contactId]])
    const { lastSmsTo } = taking
    taking = {
      ...taking,
      contactWith: async (ofWorkspace, of) => (of === phone ? (phones.get(ofWorkspace) ?? null) : null),
      // The other workspace wrote last, under whatever name.
      lastSmsTo: async (of) => {
        if (of.workspaceId === workspaceId && of.senderKey === 'SHOPTEL') return await lastSmsTo({ ...of, senderKey: 'ACME' })
        return of.workspaceId === undefined ? { workspaceId: other, contactId: 'c2', messageId: 'm2', phone, sender: 'Other' } : null
      },
    }
    await assign(workspaceId, 'SHOPTEL', number)
  })

  test.each([
    number,
    '972501110000',
    '00972501110000',
    '+972 (0)50-111-0000',
    '\u202a+972\u00a050\u2011111\u20110000\u202c',
    '+٩٧٢٥٠١١١٠٠٠٠',
    '+9720501110000',
  ])('is its workspace’s whatever was sent last, written as %j', async (to) => {
    expect(await toOwn('STOP', { to })).toBe('stop')
    expect(await smsConsent()).toBe('unsubscribed')
    expect(await toOwn('START', { to })).toBe('start')
    expect(await smsConsent()).toBe('subscribed')
  })

  test('as it is dialled in its country is its workspace’s, unless that is a sender that somebody wrote with', async () => {
    expect(await toOwn('STOP', { to: '0501110000' })).toBe('unknown')
    taking = { ...taking, lastSmsTo: async () => null }
    for (const to of ['0501110000', '501110000', '050-111-0000']) {
      expect(await toOwn('STOP', { to })).toBe('stop')
      expect(await toOwn('START', { to })).toBe('start')
    }
    for (const to of ['1110000', '10000', '0601110000', 'SHOPTEL0000']) {
      const said = await toOwn('STOP', { to })
      expect([to, said]).toEqual([to, to === '1110000' ? 'stop' : 'unknown'])
    }
  })

  test('says which message it answers, where one was sent from it', async () => {
    await toOwn('STOP')
    taking = { ...taking, lastSmsTo: async () => null }
    await toOwn('STOP')
    const { events } = await store.readAll('start', 100)
    const messages = events.filter(({ type }) => type === 'ContactConsentRecorded').map(({ data }) => JSON.stringify(data))
    expect(messages.map((data) => data.includes('message-1'))).toEqual([true, false])
  })

  test('of a person whom the workspace does not know is for no workspace', async () => {
    phones.clear()
    taking = { ...taking, lastSmsTo: async () => null }
    expect(await toOwn('STOP')).toBe('unknown')
    expect(await toOwn('hello')).toBe('other')
  })

  test('is answered from the sender ID', async () => {
    await answering({ help: 'Write to us.' })
    expect(await toOwn('HELP')).toBe('help')
    const { events } = await store.readAll('start', 100)
    expect(events.find(({ type }) => type === 'SmsAccepted')?.data).toContain('"from":"SHOPTEL"')
  })

  test('that has moved is the new owner’s; of a number that is free it is the last owner’s', async () => {
    await assign(workspaceId, 'SHOPTEL', null)
    expect(await toOwn('STOP')).toBe('stop')
    await assign(other, 'THEIRS', number)
    const before = (await types()).length
    expect(await toOwn('STOP')).toBe('unknown')
    expect((await types()).length).toBe(before)
  })

  test('waits while the read side is behind', async () => {
    taking = { ...taking, showsAll: async () => false }
    expect(await toOwn('STOP')).toBe('behind')
    expect(await smsConsent()).toBe('never_subscribed')
  })
})
