import { randomUUID } from 'node:crypto'
import { asMessageId, asVerificationId } from '@tidings/domain'
import { TWILIO_ERRORS } from '@tidings/providers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { newNumber, texting, textsOf } from './support/texts.ts'
import { ACCOUNT, postForm, statusForm, statusPath, twilioSettings, twilioSignature } from './support/twilio.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client
let hooli: Client
let texts: ReturnType<typeof textsOf>

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ ...twilioSettings, TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  acme = await world.workspace('acme', texting)
  hooli = await world.workspace('hooli', texting)
  texts = textsOf(world, acme)
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

type Ids = Readonly<{ workspaceId: string; messageId: string }>
const report = (ids: Ids, status: string, more: Readonly<Record<string, string>> = {}) =>
  postForm(world.url, { path: statusPath(ids), form: statusForm(status, more) })

describe('what Twilio reports about a text message', () => {
  it('moves it and fires its webhook, once', async () => {
    await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/moves`, events: ['sms.delivered', 'sms.failed'] })
    const one = await texts.accept(newNumber())
    for (const status of ['sent', 'delivered', 'delivered', 'delivered', 'sent'])
      expect(await report(one, status)).toMatchObject({ status: 204, text: '' })
    expect(await acme.messageWith(one.messageId, 'delivered')).toMatchObject({ failureReason: null })
    // Deliveries to one endpoint overtake each other.
    await receiver.wait('/moves', 1)
    const other = await texts.accept(newNumber())
    await report(other, 'undelivered', { ErrorCode: '30007' })
    const fired = await receiver.wait('/moves', 2)
    expect(fired.map(({ event, data }) => [event, data.messageId])).toEqual([
      ['sms.delivered', one.messageId],
      ['sms.failed', other.messageId],
    ])
    expect(fired[1]?.data).toMatchObject({ channel: 'sms', contactId: other.contactId, reason: 'provider_rejected' })
  })

  it('may come before the answer to its request, and in any order', async () => {
    const failed = await texts.accept(newNumber())
    await report(failed, 'failed', { ErrorCode: '30005' })
    await report(failed, 'delivered')
    expect(await acme.messageWith(failed.messageId, 'failed')).toMatchObject({ failureReason: 'invalid_address' })
    const delivered = await texts.accept(newNumber())
    await report(delivered, 'delivered')
    await report(delivered, 'undelivered', { ErrorCode: '30003' })
    expect(await acme.messageWith(delivered.messageId, 'delivered')).toMatchObject({ failureReason: null })
  })

  it('says that it was sent, where the answer never came', async () => {
    const doubted = await texts.accept(newNumber())
    await texts.decide(doubted.messageId, { type: 'RecordUnconfirmed', data: { provider: 'twilio' } })
    await report(doubted, 'queued')
    expect((await acme.messageWith(doubted.messageId, 'sent')).providerMessageId).toEqual(expect.stringMatching(/^SM/))
  })

  it('of no message is counted, and changes nothing', async () => {
    const ids = [
      { workspaceId: texts.workspaceId, messageId: randomUUID() },
      { workspaceId: randomUUID(), messageId: randomUUID() },
    ]
    for (const of of ids) expect((await report(of, 'delivered')).status).toBe(204)
    expect((await postForm(world.url, { path: '/api/v1/providers/twilio/status', form: statusForm('delivered') })).status).toBe(204)
    expect((await report(ids[0]!, 'exploded')).status).toBe(204)
    const shown = await (await fetch(`${world.url}/metrics`)).text()
    expect(shown).toMatch(/^tidings_phone_receipts_total\{outcome="unknown_message"\} \d/m)
  })

  it('with the message of one workspace and the id of another changes nothing', async () => {
    const one = await texts.accept(newNumber())
    await report({ ...one, workspaceId: hooli.applied.workspace.id }, 'delivered')
    expect(await texts.typesOf(one.messageId)).not.toContain('MessageDelivered')
  })

  it('is taken of a passcode, which no contact has', async () => {
    const messageId = asMessageId(randomUUID())
    const accepting = {
      messageId,
      channel: 'voice',
      verificationId: asVerificationId('v'),
      to: newNumber(),
      from: 'ACME',
      credits: 1,
      segments: 1,
    } as const
    await texts.decide(messageId, { type: 'AcceptPasscode', data: accepting })
    const path = statusPath({ workspaceId: texts.workspaceId, messageId })
    const form = { AccountSid: ACCOUNT.sid, CallSid: 'CA1' }
    await postForm(world.url, { path, form: { ...form, CallStatus: 'ringing' } })
    expect(await texts.typesOf(messageId)).toEqual(['PasscodeAccepted'])
    await postForm(world.url, { path, form: { ...form, CallStatus: 'completed' } })
    expect(await acme.messageWith(messageId, 'delivered')).toMatchObject({ channel: 'voice' })
  })
})

describe('a report that Twilio did not sign', () => {
  const form = statusForm('failed')
  const forgeries: readonly (readonly [string, (path: string) => Readonly<{ form: typeof form; signature: string | null }>])[] = [
    ['without a signature', () => ({ form, signature: null })],
    ['with an empty one', () => ({ form, signature: '' })],
    ['with another token', (path) => ({ form, signature: twilioSignature(path, form, 'other') })],
    ['of another address', (path) => ({ form, signature: twilioSignature(`${path}&x=1`, form) })],
    ['of another form', (path) => ({ form, signature: twilioSignature(path, statusForm('delivered')) })],
    [
      'of another account',
      (path) => {
        const other = { ...form, AccountSid: 'ACother' }
        return { form: other, signature: twilioSignature(path, other) }
      },
    ],
  ]

  it.each(forgeries)('is refused and changes nothing: %s', async (_, forge) => {
    const one = await texts.accept(newNumber())
    await report(one, 'delivered')
    const path = statusPath(one)
    expect(await postForm(world.url, { path, ...forge(path) })).toMatchObject({ status: 401 })
    const types = await texts.typesOf(one.messageId)
    expect(types.filter((type) => type === 'MessageFailed' || type === 'MessageReceiptIgnored')).toEqual([])
  })

  it('is refused as JSON and as nothing, and is read up to a limit', async () => {
    const url = `${world.url}/api/v1/providers/twilio/status`
    // What cannot be a signature is refused before any of this.
    const headers = { 'X-Twilio-Signature': `${'A'.repeat(27)}=` }
    const post = (body: string, type: string) => fetch(url, { method: 'POST', headers: { 'Content-Type': type, ...headers }, body })
    expect((await post('{}', 'application/json')).status).toBe(401)
    expect((await fetch(url, { method: 'POST' })).status).toBe(401)
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(401)
    expect((await post('a=b', 'text/plain')).status).toBe(400)
    expect((await post('a='.padEnd(1024 * 1024 + 1, 'x'), 'application/x-www-form-urlencoded')).status).toBe(413)
  })
})

describe('every row of the table of errors', () => {
  const rows = TWILIO_ERRORS.flatMap(({ code, receipt }) => (receipt === null ? [] : [[code, receipt] as const]))

  it.each(rows)('%i in a report fails the message with %s', async (code, reason) => {
    const one = await texts.accept(newNumber())
    await report(one, 'failed', { ErrorCode: String(code) })
    expect(await acme.messageWith(one.messageId, 'failed')).toMatchObject({ failureReason: reason })
  })
})
