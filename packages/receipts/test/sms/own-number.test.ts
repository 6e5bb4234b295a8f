import { asContactId, asMessageId, asWorkspaceId, type ContactId } from '@tidings/domain'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TakenSms } from '../../src/sms/inbound.ts'
import { openInbound, phone, workspaceId } from './take-inbound.testing.ts'

let on: Awaited<ReturnType<typeof openInbound>>
beforeEach(async () => {
  on = await openInbound()
})

describe('a text to an own number', () => {
  const other = asWorkspaceId('0192b1f0-0000-7000-8000-000000000002')
  const number = '+972501110000'
  let phones: Map<string, ContactId>

  const toOwn = (body: string, more: Partial<TakenSms> = {}) => on.text(body, { to: number, ...more })

  beforeEach(async () => {
    phones = new Map([[workspaceId, on.contactId]])
    const { lastSmsTo } = on.taking
    on.taking = {
      ...on.taking,
      contactWith: async (ofWorkspace, of) => (of === phone ? (phones.get(ofWorkspace) ?? null) : null),
      writtenAmong: async () => [],
      // The other workspace wrote last, under whatever name.
      lastSmsTo: async (of) => {
        if (of.workspaceId === workspaceId && of.senderKey === 'SHOPTEL') return await lastSmsTo({ ...of, senderKey: 'ACME' })
        return of.workspaceId === undefined
          ? { workspaceId: other, contactId: asContactId('c2'), messageId: asMessageId('m2'), phone, sender: 'Other' }
          : null
      },
    }
    await on.assignNumber(workspaceId, 'SHOPTEL', number)
  })

  test.each(['0501234567', '050-123-4567', '\u200e0501234567', '(050) 123 4567'])(
    'is from %j as that is dialled in the country of the own number',
    async (from) => {
      expect(await toOwn('STOP', { from })).toBe('stop')
      expect(await on.smsConsent()).toBe('unsubscribed')
    },
  )

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
    expect(await on.smsConsent()).toBe('unsubscribed')
    expect(await toOwn('START', { to })).toBe('start')
    expect(await on.smsConsent()).toBe('subscribed')
  })

  test('of which both numbers are written as they are dialled in its country is its workspace’s', async () => {
    on.taking = { ...on.taking, lastSmsTo: async () => null }
    expect(await toOwn('STOP', { from: '0501234567', to: '0501110000' })).toBe('stop')
    expect(await on.smsConsent()).toBe('unsubscribed')
  })

  test('as it is dialled in its country is its workspace’s, unless that is a sender that somebody wrote with', async () => {
    expect(await toOwn('STOP', { to: '0501110000' })).toBe('unknown')
    on.taking = { ...on.taking, lastSmsTo: async () => null }
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
    on.taking = { ...on.taking, lastSmsTo: async () => null }
    await toOwn('STOP')
    const { events } = await on.store.readAll('start', 100)
    const messages = events.filter(({ type }) => type === 'ContactConsentRecorded').map(({ data }) => JSON.stringify(data))
    expect(messages.map((data) => data.includes('message-1'))).toEqual([true, false])
  })

  test('of a person whom the workspace does not know is for no workspace', async () => {
    phones.clear()
    on.taking = { ...on.taking, lastSmsTo: async () => null }
    expect(await toOwn('STOP')).toBe('unknown')
    expect(await toOwn('hello')).toBe('other')
  })

  test('is answered from the sender ID', async () => {
    await on.answering({ help: 'Write to us.' })
    expect(await toOwn('HELP')).toBe('help')
    const { events } = await on.store.readAll('start', 100)
    expect(events.find(({ type }) => type === 'SmsAccepted')?.data).toContain('"from":"SHOPTEL"')
  })

  test('is not mixed up with one to its name, which other workspaces have too', async () => {
    const asked: unknown[] = []
    on.taking = {
      ...on.taking,
      lastSmsTo: async (of) => {
        asked.push(of.without)
        return of.without === undefined
          ? { workspaceId, contactId: on.contactId, messageId: asMessageId('message-1'), phone, sender: 'ShopTel' }
          : null
      },
    }
    expect(await toOwn('STOP', { to: 'SHOPTEL' })).toBe('stop')
    expect(await toOwn('STOP', { to: 'ACME' })).toBe('stop')
    expect(asked).toEqual([[{ workspaceId, since: null }], undefined, undefined])
  })

  test('that is free is the last owner’s', async () => {
    await on.assignNumber(workspaceId, 'SHOPTEL', null)
    expect(await toOwn('STOP')).toBe('stop')
  })

  describe('that has moved', () => {
    const third = asWorkspaceId('0192b1f0-0000-7000-8000-000000000003')
    beforeEach(async () => {
      expect(await toOwn('START')).toBe('start')
      await on.assignNumber(workspaceId, 'SHOPTEL', null)
      await on.assignNumber(other, 'THEIRS', number)
    })

    test('is the new owner’s, where it knows the person', async () => {
      phones.set(other, asContactId('c2'))
      const before = (await on.types()).length
      // The contact of that workspace is not in this log.
      expect(await toOwn('STOP')).toBe('unknown')
      expect((await on.types()).length).toBe(before)
      expect(await on.smsConsent()).toBe('subscribed')
    })

    test.each([1, 3, 20])(
      'is for whom a text left from it before, where the new owner does not know the person, after %i moves',
      async (moves) => {
        for (let n = 1; n < moves; n++) {
          const [from, to] = n % 2 === 1 ? ([other, third] as const) : ([third, other] as const)
          await on.assignNumber(from, from === other ? 'THEIRS' : 'THIRD', null)
          await on.assignNumber(to, to === other ? 'THEIRS' : 'THIRD', number)
        }
        expect(await toOwn('STOP')).toBe('stop')
        expect(await on.smsConsent()).toBe('unsubscribed')
      },
    )

    test('is for no workspace that knows the person and sent nothing from it', async () => {
      on.taking = { ...on.taking, lastSmsTo: async () => null }
      expect(await toOwn('STOP')).toBe('unknown')
      expect(await on.smsConsent()).toBe('subscribed')
    })
  })

  test('is for the workspace that wrote from the same digits as its sender ID, where the owner does not know the person', async () => {
    phones.clear()
    const sent = { workspaceId, contactId: on.contactId, messageId: asMessageId('message-1'), phone, sender: '15551234567' }
    on.taking = {
      ...on.taking,
      lastSmsTo: async (of) => (of.senderKey === '15551234567' && (of.workspaceId ?? workspaceId) === workspaceId ? sent : null),
    }
    await on.assignNumber(other, 'THEIRS', '+15551234567')
    expect(await toOwn('STOP', { to: '+15551234567' })).toBe('stop')
    expect(await on.smsConsent()).toBe('unsubscribed')
  })

  test('waits while the read side is behind', async () => {
    on.taking = { ...on.taking, showsAll: async () => false }
    expect(await toOwn('STOP')).toBe('behind')
    expect(await on.smsConsent()).toBe('never_subscribed')
  })
})
