import { asContactId, contact, contactStream, contactSubject, workspace, workspaceStream } from '@tidings/domain'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TakenSms } from '../../src/sms/inbound.ts'
import { openInbound, phone, workspaceId } from './take-inbound.testing.ts'

let on: Awaited<ReturnType<typeof openInbound>>
beforeEach(async () => {
  on = await openInbound()
})

describe('a text message from a person', () => {
  test.each([
    (n: string) => n.slice(1),
    (n: string) => n.replace('+972', '+972 (0)'),
    (n: string) => n.replace('+972', '9720'),
    (n: string) => `\u200e${n.replace('2', '٢')}`,
  ])('is from him in every spelling of his number', async (spelled) => {
    expect(await on.text('STOP', { from: spelled(phone) })).toBe('stop')
    expect(await on.smsConsent()).toBe('unsubscribed')
  })

  test('is recorded once by its id, and again under another', async () => {
    for (const id of ['SMa', 'SMa', 'SMb']) expect(await on.text('STOP', { id })).toBe('stop')
    expect(await on.types()).toEqual(['ContactConsentRecorded', 'ContactSuppressed', 'ContactConsentRecorded'])
  })

  test('STOP, START and STOP in one minute is stopped, where the id is only guessed from the text', async () => {
    const said = (body: string, id: string, isGuessed = true) => on.text(body, { id, ...(isGuessed && { isIdGuessed: true }) })
    for (const [body, id] of [
      ['STOP', 'stop'],
      ['START', 'start'],
      ['STOP', 'stop'],
    ] as const)
      await said(body, id)
    expect(await on.smsConsent()).toBe('unsubscribed')
    // Delivered again it is the same message, and so is an older START.
    const before = (await on.types()).length
    for (const [body, id] of [
      ['STOP', 'stop'],
      ['START', 'start'],
    ] as const)
      await said(body, id)
    expect([await on.smsConsent(), (await on.types()).length]).toEqual(['unsubscribed', before])
    // An id of the provider's is believed: an old STOP that comes once more undoes no later START.
    for (const [body, id] of [
      ['STOP', 'SMx'],
      ['START', 'SMy'],
      ['STOP', 'SMx'],
    ] as const)
      await said(body, id, false)
    expect(await on.smsConsent()).toBe('subscribed')
  })

  test('START says that the number is reached, and nothing else does', async () => {
    for (const body of ['STOP', 'HELP', 'thanks']) await on.text(body)
    expect(on.lifted).toEqual([])
    await on.text('START')
    expect(on.lifted).toEqual([phone])
  })

  test('of a number written without its plus is the same', async () => {
    expect(await on.text('STOP', { from: phone.slice(1) })).toBe('stop')
  })

  test.each(['0501234567', '050-123-4567', '\u200e0501234567'])(
    'is from whom the sender wrote to, where only one is dialled like %j',
    async (from) => {
      const asked: (readonly string[])[] = []
      const { writtenAmong } = on.taking
      on.taking = {
        ...on.taking,
        writtenAmong: async (of) => {
          asked.push(of.phones)
          return await writtenAmong(of)
        },
      }
      expect(await on.text('STOP', { from })).toBe('stop')
      expect(await on.smsConsent()).toBe('unsubscribed')
      expect(asked).toEqual([expect.arrayContaining([phone, '+44501234567', '+390501234567'])])
      expect(asked[0]).not.toContain('+36501234567')
    },
  )

  test('is for no workspace where two whom the sender wrote to are dialled like that, or none', async () => {
    for (const written of [[phone, '+44501234567'], []]) {
      on.taking = { ...on.taking, writtenAmong: async () => written }
      expect(await on.text('STOP', { from: '0501234567' })).toBe('unknown')
    }
    expect(await on.types()).toEqual([])
  })

  test('is asked for again while it is not known whose it is, and no workspace’s once that is known', async () => {
    on.taking = { ...on.taking, showsAll: async () => false }
    expect(await on.text('STOP', { from: '+972509999999' })).toBe('behind')
    // Another workspace may have written since: what is shown decides nothing.
    expect(await on.text('STOP')).toBe('behind')
    expect(await on.types()).toEqual([])
    on.taking = { ...on.taking, showsAll: async () => true }
    expect(await on.text('STOP')).toBe('stop')
    expect(await on.text('STOP', { from: '+972509999999' })).toBe('unknown')
  })

  test('that says nothing is not looked up', async () => {
    on.taking = { ...on.taking, showsAll: () => Promise.reject(new Error('asked')) }
    for (const body of ['', '👍 !', 'thank you '.repeat(20)]) expect(await on.text(body)).toBe('other')
  })

  test('in other words withdraws too, as the gateway reads it and as the workspace says', async () => {
    await on.execute(workspace, workspaceStream(workspaceId), { type: 'SetStopWords', data: { words: ['no more', 'baja'] } })
    const stops: readonly Partial<TakenSms>[] = [
      { body: 'Revoke.' },
      { body: 'opt out' },
      { body: ' "No more!" ' },
      { body: 'BAJA' },
      { body: 'genug', keyword: 'stop' },
      { body: 'baja', keyword: 'help' },
    ]
    for (const { body = '', ...more } of stops) {
      await on.text('START')
      expect(await on.text(body, more)).toBe('stop')
      expect(await on.smsConsent()).toBe('unsubscribed')
    }
    expect(await on.text('wieder', { keyword: 'start' })).toBe('start')
    for (const body of ['please stop it', 'no', 'bajas']) expect(await on.text(body)).toBe('other')
    expect(await on.smsConsent()).toBe('subscribed')
  })

  test('withdraws the consent of the person who was written to, also where he has another number by now', async () => {
    const moved = { contactId: on.contactId, phone: { value: '+972501111111', claimId: 'd' } }
    await on.execute(contact, contactStream(workspaceId, on.contactId), { type: 'UpdateContact', data: moved })
    expect(await on.text('START')).toBe('start')
    expect(await on.smsConsent()).toBe('never_subscribed')
    expect(await on.text('STOP')).toBe('stop')
    expect(await on.smsConsent()).toBe('unsubscribed')
  })

  test('of an erased person, or to a contact that is gone, changes nothing', async () => {
    await on.keyRing.shred(workspaceId, contactSubject({ contactId: on.contactId }))
    const { lastSmsTo } = on.taking
    on.taking = { ...on.taking, lastSmsTo: async (of) => ({ ...(await lastSmsTo(of))!, contactId: asContactId(crypto.randomUUID()) }) }
    expect(await on.text('STOP')).toBe('unknown')
    expect(await on.types()).toEqual([])
  })
})

describe('an answer', () => {
  test('is one message in ten minutes for each keyword', async () => {
    await on.answering({ help: 'Write to us.', start: 'Welcome back.' })
    for (const body of ['HELP', 'INFO', 'help', 'START', 'START']) await on.text(body)
    const accepted = (await on.types()).filter((type) => type === 'SmsAccepted')
    expect(accepted).toHaveLength(2)
    await on.text('HELP', { at: '2026-01-01T00:10:00.000Z' })
    expect((await on.types()).filter((type) => type === 'SmsAccepted')).toHaveLength(3)
  })

  test('is not given where the workspace has none, or is not active', async () => {
    await on.text('HELP')
    await on.answering({ help: 'Write to us.' })
    await on.execute(workspace, workspaceStream(workspaceId), { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    expect(await on.text('STOP')).toBe('stop')
    await on.text('HELP')
    expect(await on.types()).not.toContain('SmsAccepted')
  })
})
