import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SendOptions } from '../../src/port.ts'
import { parseTwilioUrl } from '../../src/twilio/account.ts'
import { type CallbackRequest, createTwilioCallbacks, type TwilioCallbacks } from '../../src/twilio/callbacks.ts'
import { TWILIO_ERRORS } from '../../src/twilio/errors.ts'
import { twilioSignature } from '../../src/twilio/signature.ts'
import { twilioSms, twilioVoice } from '../../src/twilio/twilio.ts'
import { createTwilioSmsProvider, createTwilioVoiceProvider } from '../../src/twilio/twilio-providers.ts'

const ids = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192b1f0-0000-7000-8000-00000000000a'),
}
const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }
const at = new Date('2026-11-22T10:00:00.000Z')

/** What reached our routes, as a route would hand it on. */
let received: CallbackRequest[] = []
let routes: Server
let publicUrl: string
let server: TwilioServer
let callbacks: TwilioCallbacks

const read = async (request: IncomingMessage): Promise<CallbackRequest> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { url = '', headers } = request
  const signature = headers['x-twilio-signature']
  return {
    search: url.includes('?') ? url.slice(url.indexOf('?')) : '',
    body: Buffer.concat(chunks).toString('utf8'),
    signature: typeof signature === 'string' ? signature : undefined,
  }
}

beforeEach(async () => {
  received = []
  routes = createServer(async (request, response) => {
    received.push(await read(request))
    response.end()
  })
  routes.listen(0, '127.0.0.1')
  await once(routes, 'listening')
  publicUrl = `http://127.0.0.1:${(routes.address() as AddressInfo).port}`
  server = await startTwilioServer()
  callbacks = createTwilioCallbacks([parseTwilioUrl(server.url, 'SMS')], publicUrl)
})
afterEach(async () => {
  await server.stop()
  routes.closeAllConnections()
  routes.close()
})

const sendSms = async () => {
  const provider = createTwilioSmsProvider({ ...twilioSms.limits, account: parseTwilioUrl(server.url, 'SMS'), publicUrl })
  await provider.send({ ...ids, to: '+972501234567', from: 'Acme', body: 'Hi' }, options)
  await provider.close()
  return server.taken[0]!
}
const statusOf = (request: CallbackRequest) => callbacks.status(request, at)

test('a report names our message, also where the answer to it was lost', async () => {
  server.control.rule = () => 'cut after'
  const provider = createTwilioSmsProvider({ ...twilioSms.limits, account: parseTwilioUrl(server.url, 'SMS'), publicUrl })
  await provider.send({ ...ids, to: '+972501234567', from: 'Acme', body: 'Hi' }, options).catch(() => undefined)
  await provider.close()
  const [taken] = server.taken
  await server.report(taken!, 'delivered')
  expect(statusOf(received[0]!)).toEqual({
    receipt: {
      ...{ ...ids, providerMessageId: taken?.sid, status: 'delivered', reason: null, detail: null, at: at.toISOString() },
      recipients: ['+972501234567'],
    },
  })
})

test.each([
  ['queued', 'sent'],
  ['accepted', 'sent'],
  ['sending', 'sent'],
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'delivered'],
])('a message that is %s is %s', async (said, status) => {
  await server.report(await sendSms(), said)
  expect(statusOf(received[0]!)).toMatchObject({ receipt: { status, reason: null } })
})

test.each(TWILIO_ERRORS.filter(({ receipt }) => receipt !== null))('undelivered with $code is $receipt: $means', async (row) => {
  await server.report(await sendSms(), 'undelivered', { ErrorCode: String(row.code) })
  expect(statusOf(received[0]!)).toMatchObject({
    receipt: { status: 'failed', reason: row.receipt, detail: `undelivered, ${row.code}, ${row.means}` },
  })
})

test('failed without a known code is undeliverable', async () => {
  const taken = await sendSms()
  for (const ErrorCode of ['', '99999', 'x', '30005 ', '-1']) await server.report(taken, 'failed', { ErrorCode })
  for (const request of received) expect(statusOf(request)).toMatchObject({ receipt: { status: 'failed', reason: 'undeliverable' } })
  expect(received).toHaveLength(5)
})

test.each([
  ['initiated', 'sent', null],
  ['ringing', 'sent', null],
  ['in-progress', 'sent', null],
  ['completed', 'delivered', null],
  ['busy', 'failed', 'undeliverable'],
  ['no-answer', 'failed', 'undeliverable'],
  ['failed', 'failed', 'undeliverable'],
  ['canceled', 'failed', 'provider_rejected'],
])('a call that is %s is %s', async (said, status, reason) => {
  const voice = createTwilioVoiceProvider({ ...twilioVoice.limits, account: parseTwilioUrl(server.url, 'voice'), publicUrl })
  await voice.call({ ...ids, to: '+972501234567', from: '+97231234567', message: '{{code}}', code: '123456', locale: 'en' }, options)
  await voice.close()
  await server.report(server.taken[0]!, said)
  expect(statusOf(received[0]!)).toMatchObject({ receipt: { ...ids, providerMessageId: server.taken[0]?.sid, status, reason } })
})

test('what a person wrote to us comes as it was written', async () => {
  await server.inbound(`${publicUrl}/api/v1/providers/twilio/inbound`, { From: '+972501234567', To: '+97231234567', Body: ' stop & שלום ' })
  expect(callbacks.inbound(received[0]!, at)).toEqual({
    sms: {
      providerMessageId: expect.stringMatching(/^SM/),
      from: '+972501234567',
      to: '+97231234567',
      body: ' stop & שלום ',
      at: at.toISOString(),
    },
  })
})

test.each([
  ['STOP', 'stop'],
  ['start', 'start'],
  ['HELP', 'help'],
  ['', undefined],
  ['OTHER', undefined],
])('what Twilio took it for, as OptOutType %j, comes with it', async (said, keyword) => {
  const fields = { From: '+972501234567', To: '+97231234567', Body: 'genug' }
  await server.inbound(`${publicUrl}/api/v1/providers/twilio/inbound`, { ...fields, OptOutType: said })
  expect(callbacks.inbound(received[0]!, at)?.sms?.keyword).toBe(keyword)
})

test('a report or a message with anything changed is forged', async () => {
  await server.report(await sendSms(), 'delivered')
  await server.inbound(`${publicUrl}/api/v1/providers/twilio/inbound`, { From: '+972501234567', To: '+97231234567', Body: 'STOP' })
  const [report, inbound] = received as [CallbackRequest, CallbackRequest]
  const forged = [
    { ...report, search: report.search.replace(ids.messageId, ids.workspaceId) },
    { ...report, search: '' },
    { ...report, body: report.body.replace('delivered', 'failed') },
    { ...report, body: `${report.body}&ErrorCode=30005` },
    { ...report, body: report.body.replace(/AccountSid=AC\w+/, 'AccountSid=ACother') },
    { ...report, body: report.body.replace(/&?AccountSid=AC\w+/, '') },
    { ...report, signature: undefined },
    { ...report, signature: inbound.signature },
    { search: '', body: '', signature: '' },
  ]
  for (const request of forged) expect(statusOf(request)).toBeNull()
  expect(callbacks.inbound({ ...inbound, body: inbound.body.replace('STOP', 'START') }, at)).toBeNull()
  // A report is not a message, and its signature is of its own path.
  expect(callbacks.inbound(report, at)).toBeNull()
  expect(statusOf(inbound)).toBeNull()
  expect(createTwilioCallbacks([], publicUrl).status(report, at)).toBeNull()
  expect(createTwilioCallbacks([parseTwilioUrl(server.url, 'SMS')], 'https://other.example').status(report, at)).toBeNull()
  expect(statusOf(report)).not.toBeNull()
})

test('signed nonsense is taken, and nothing is made of it', async () => {
  const taken = await sendSms()
  await server.report(taken, 'teleported')
  await server.report(taken, 'toString')
  await server.report({ ...taken, sid: 'SM1 <x>' }, 'delivered')
  for (const request of received) expect(statusOf(request)).toEqual({ receipt: null })
  const strangers = { ...taken, form: { ...taken.form, StatusCallback: `${publicUrl}/api/v1/providers/twilio/status?messageId=1;drop` } }
  await server.report(strangers, 'delivered')
  expect(statusOf(received.at(-1)!)).toMatchObject({ receipt: { workspaceId: null, messageId: null, status: 'delivered' } })
  await server.inbound(`${publicUrl}/api/v1/providers/twilio/inbound`, { From: '', To: '+1', Body: '' })
  expect(callbacks.inbound(received.at(-1)!, at)).toEqual({ sms: null })
})

test('the fixture reports by itself where that is set', async () => {
  const reporting = await startTwilioServer({ reports: ['sent', 'delivered'] })
  const provider = createTwilioSmsProvider({ ...twilioSms.limits, account: parseTwilioUrl(reporting.url, 'SMS'), publicUrl })
  await provider.send({ ...ids, to: '+972501234567', from: 'Acme', body: 'Hi' }, options)
  await until(() => expect(received).toHaveLength(2))
  const own = createTwilioCallbacks([parseTwilioUrl(reporting.url, 'SMS')], publicUrl)
  expect(received.map((request) => own.status(request, at)?.receipt?.status)).toEqual(['sent', 'delivered'])
  await provider.close()
  await reporting.stop()
})

test('a body of more fields than Twilio writes is refused before its signature is computed', () => {
  const { sid, token } = parseTwilioUrl(server.url, 'SMS')
  const request = (fields: number) => {
    const params = new URLSearchParams([
      ['AccountSid', sid],
      ...Array.from({ length: fields - 1 }, (_, n): [string, string] => [`n${n}`, '']),
    ])
    const signature = twilioSignature({ url: `${publicUrl}/api/v1/providers/twilio/status`, params }, token)
    return { search: '', body: params.toString(), signature }
  }
  expect(statusOf(request(1_000))).toEqual({ receipt: null })
  expect(statusOf(request(1_001))).toBeNull()
})

test('a report is verified by the token of the account that it names, and says which provider that is', async () => {
  const reporting = await startTwilioServer()
  const own = parseTwilioUrl(reporting.url, 'SMS')
  const provider = createTwilioSmsProvider({ ...twilioSms.limits, account: own, publicUrl })
  await provider.send({ ...ids, to: '+972501234567', from: 'Acme', body: 'Hi' }, options)
  expect(await reporting.report(reporting.taken[0]!, 'delivered')).toBeLessThan(300)
  const [request] = received.slice(-1)
  const other = { ...parseTwilioUrl(server.url, 'SMS'), label: 'first.example:443' }
  const both = createTwilioCallbacks([other, { ...own, label: 'second.example:443' }], publicUrl)
  expect(both.status(request!, at)).toMatchObject({ receipt: { status: 'delivered', provider: 'second.example:443' } })
  // The other account's token signs for itself alone.
  expect(createTwilioCallbacks([{ ...own, token: other.token }, other], publicUrl).status(request!, at)).toBeNull()
  await provider.close()
  await reporting.stop()
})
