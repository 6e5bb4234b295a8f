import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { newAuthority } from '@tidings/testing/certificates'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DeliveryError, SendOptions } from '../../src/port.ts'
import type { SmsMessage } from '../../src/sms/port.ts'
import { parseTwilioUrl } from '../../src/twilio/account.ts'
import type { TwilioSettings } from '../../src/twilio/api.ts'
import { twilioSms, twilioVoice } from '../../src/twilio/twilio.ts'
import { createTwilioSmsProvider, createTwilioVoiceProvider } from '../../src/twilio/twilio-providers.ts'

const ids = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192b1f0-0000-7000-8000-00000000000a'),
}
const message: SmsMessage = { ...ids, to: '+972501234567', from: 'Acme', body: 'שלום + & =' }
const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }
const STATUS_URL = `https://api.acme.example/base/api/v1/providers/twilio/status?workspaceId=${ids.workspaceId}&messageId=${ids.messageId}`

let server: TwilioServer
let close: (() => Promise<void>)[] = []
beforeEach(async () => {
  server = await startTwilioServer()
})
afterEach(async () => {
  for (const end of close.toReversed()) await end()
  close = []
  await server.stop()
})

const opened = (settings: Partial<TwilioSettings> = {}, url = server.url) => {
  const outages: (string | null)[] = []
  const provider = createTwilioSmsProvider({
    ...twilioSms.limits,
    account: parseTwilioUrl(url, 'SMS'),
    publicUrl: 'https://api.acme.example/base/',
    callMs: 10_000,
    onOutage: (reason) => void outages.push(reason),
    ...settings,
  })
  close.push(provider.close)
  const failing = (): Promise<DeliveryError> =>
    provider.send(message, options).then(
      () => expect.unreachable(),
      (error) => error,
    )
  return { provider, outages, failing, send: () => provider.send(message, options) }
}

test('a message is one form, with our ids in the address of its reports', async () => {
  const { provider } = opened()
  expect(await provider.send(message, options)).toEqual({ providerMessageId: server.taken[0]?.sid, response: '201 queued' })
  expect(server.requests).toEqual([
    { resource: 'Messages', form: { To: '+972501234567', From: 'Acme', Body: 'שלום + & =', StatusCallback: STATUS_URL } },
  ])
})

test('a call is one form; the configured number calls where the sender is a name', async () => {
  const account = { ...parseTwilioUrl(server.url, 'voice'), callerId: '+97231234567' }
  const voice = createTwilioVoiceProvider({ ...twilioVoice.limits, account, publicUrl: 'https://api.acme.example/base' })
  close.push(voice.close)
  const call = { ...ids, to: '+972501234567', message: 'Code {{code}}', code: '407193', locale: 'he' }
  await voice.call({ ...call, from: 'Acme' }, options)
  await voice.call({ ...call, from: '+97239999999' }, options)
  expect(server.requests.map(({ resource, form }) => [resource, form.From, form.StatusCallback])).toEqual([
    ['Calls', '+97231234567', STATUS_URL],
    ['Calls', '+97239999999', STATUS_URL],
  ])
  expect(server.requests[0]?.form.Twiml?.match(/<Say language="he-IL">Code 4, 0, 7, 1, 9, 3<\/Say>/g)).toHaveLength(2)
})

test('connections are kept, and no more are opened than calls may run at once', async () => {
  const { send } = opened({ connections: 3 })
  for (let n = 0; n < 10; n++) await send()
  expect(server.connections()).toBeLessThanOrEqual(3)
  await Promise.all(Array.from({ length: 30 }, send))
  expect(server.connections()).toBeLessThanOrEqual(3)
})

test('wrong credentials are an outage: nothing is tried again by a message, and the token is in no word of it', async () => {
  const { sid } = server.account
  const { provider, outages, failing } = opened({}, server.url.replace(server.account.token, 'wr0ng-token'))
  const error = await failing()
  expect(error).toMatchObject({ failure: 'outage', response: 'HTTP 401, 20003: Authenticate' })
  expect(outages).toEqual([expect.stringContaining('20003')])
  expect(provider.outage()).toBe(outages[0])
  expect(JSON.stringify([outages, error, error.message, error.stack])).not.toContain('wr0ng-token')
  expect(sid).toMatch(/^AC/)
})

test('an account that the server does not know is an outage', async () => {
  const { failing } = opened({}, server.url.replace(/AC\w+/, 'ACunknown'))
  expect(await failing()).toMatchObject({ failure: 'outage' })
})

test('requests that left and got no answer are an outage after some in a row, which ends by itself', async () => {
  server.control.rule = () => 'cut before'
  const { provider, outages, failing, send } = opened()
  const failures: string[] = []
  while (provider.outage() === null) failures.push((await failing()).failure)
  expect(failures).toEqual(Array(5).fill('unconfirmed'))
  expect(await failing()).toMatchObject({ failure: 'outage' })
  server.control.rule = undefined
  await until(() => expect(provider.outage()).toBeNull())
  await send()
  expect(outages).toEqual([expect.any(String), null])
  // What looked whether the server is back was no message.
  expect(server.taken).toHaveLength(1)
})

test('a server that is unavailable, one message after the other, is an outage', async () => {
  server.control.rule = () => ({ status: 503 })
  const { provider, failing } = opened()
  const failures: string[] = []
  while (provider.outage() === null) failures.push((await failing()).failure)
  expect(failures).toEqual(Array(5).fill('temporary'))
})

test.each([
  [{ status: 401, code: 20003 }, 1, 'outage'],
  [{ status: 403, code: 20403 }, 1, 'outage'],
  [{ status: 503 }, 5, 'temporary'],
] as const)(
  'a message that is refused with %j is in doubt no more while it is looked whether that is an outage',
  async (refusal, all, failure) => {
    const probed = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    server.control.rule = ({ form }) => {
      if (form.To !== undefined) return refusal
      probed.resolve()
      return (response) => void over.promise.then(() => response.writeHead(503).end())
    }
    const { provider } = opened({ callMs: 60_000 })
    let inDoubt = 0
    const handedOver = () => void inDoubt++
    const returned = () => void inDoubt--
    const send = () => provider.send(message, { ...options, handedOver, returned }).catch((error: unknown) => error)
    for (let n = 1; n < all; n++) expect(await send()).toMatchObject({ failure })
    const last = send()
    await probed.promise
    expect(server.requests.filter(({ form }) => form.To !== undefined)).toHaveLength(all)
    expect(inDoubt).toBe(0)
    over.resolve()
    expect(await last).toMatchObject({ failure })
    expect(inDoubt).toBe(0)
  },
)

test('a message whose answer is missing stays in doubt while it is looked whether that is an outage', async () => {
  server.control.rule = () => 'cut before'
  const { provider } = opened()
  const returned = vi.fn()
  while (provider.outage() === null)
    await expect(provider.send(message, { ...options, returned })).rejects.toMatchObject({ failure: 'unconfirmed' })
  expect(returned).not.toHaveBeenCalled()
})

test('a message that the rate limit never lets through fails for now, after a bounded number of tries', async () => {
  server.control.rule = () => ({ status: 429, code: 20429, headers: { 'retry-after': '0' } })
  const { failing } = opened()
  expect(await failing()).toMatchObject({ failure: 'temporary' })
  expect(server.requests).toHaveLength(6)
  expect(server.taken).toEqual([])
})

test('while the rate limit pauses, nothing is sent, and a message that is stopped then was never sent', async () => {
  server.control.rule = () => ({ status: 429, code: 20429, headers: { 'retry-after': '60' } })
  const { provider } = opened()
  const stopping = new AbortController()
  const waiting = [1, 2, 3].map(() => provider.send(message, { ...options, signal: stopping.signal }).catch((error) => error))
  await until(() => expect(server.requests.length).toBeGreaterThan(0))
  stopping.abort()
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ failure: 'outage' })
  expect(server.taken).toEqual([])
})

test('one carrier whose numbers are refused, cut or unavailable is no outage, and passcodes to others go', async () => {
  const faults = [{ status: 429, code: 20429 }, 'cut before', { status: 503 }, { status: 500 }, { status: 401, code: 20003 }] as const
  let asked = 0
  server.control.rule = ({ form }) => (form.To?.startsWith('+97254') ? faults[asked++ % faults.length] : undefined)
  const { provider, outages } = opened({ connections: 10 })
  const away = Array.from({ length: 40 }, (_, n) =>
    provider.send({ ...message, to: `+9725400000${10 + n}` }, { ...options, priority: 'marketing' }).catch((error: unknown) => error),
  )
  const codes = Array.from({ length: 10 }, (_, n) =>
    provider.send({ ...message, workspaceId: asWorkspaceId(`${n}`), to: `+9725000000${10 + n}` }, { ...options, priority: 'passcode' }),
  )
  await Promise.all(codes)
  for (const error of await Promise.all(away)) expect(error).toMatchObject({ name: 'DeliveryError' })
  expect([provider.outage(), outages]).toEqual([null, []])
  expect(server.taken.map(({ form }) => form.To?.slice(0, 6))).toEqual(Array(10).fill('+97250'))
})

test('a limit of the whole account slows all down, each message goes once, and uses up no try', async () => {
  // It takes twenty, and twenty more once it was not asked for a while: one that it refuses is never among some that it takes, however late
  // this process reads the answers. By the seconds of a clock it would be.
  const PAUSE_MS = 500
  let [left, refused, refusedAt] = [20, 0, 0]
  server.control.rule = () => {
    if (left === 0 && refused > 0 && performance.now() - refusedAt >= PAUSE_MS) left = 20
    if (left > 0) {
      left--
      return undefined
    }
    refused++
    refusedAt = performance.now()
    return { status: 429, code: 20429 }
  }
  const { provider } = opened()
  const all = Array.from({ length: 80 }, (_, n) =>
    provider.send(
      { ...message, workspaceId: asWorkspaceId(`${n % 3}`), to: `+9725${n % 5}00000${10 + n}` },
      { ...options, priority: 'marketing' },
    ),
  )
  await Promise.all(all)
  expect(server.taken).toHaveLength(80)
  expect(refused).toBeLessThan(80)
})

test('the fence is asked before every try', async () => {
  let left = 2
  server.control.rule = () => (left-- > 0 ? { status: 429, headers: { 'retry-after': '0' } } : undefined)
  const { provider } = opened()
  let asked = 0
  await provider.send(message, {
    ...options,
    fence: async () => {
      asked++
    },
  })
  expect(asked).toBe(3)
})

test('closing waits for the call that runs, and fails what comes after it', async () => {
  const gate = Promise.withResolvers<void>()
  server.control.rule = () => (response, sid) =>
    void gate.promise.then(() => response.writeHead(201).end(JSON.stringify({ sid, account_sid: server.account.sid })))
  const { provider, send, failing } = opened()
  const running = send()
  await until(() => expect(server.taken).toHaveLength(1))
  const closed = provider.close()
  gate.resolve()
  expect(await running).toMatchObject({ providerMessageId: server.taken[0]?.sid })
  await closed
  expect(await failing()).toMatchObject({ failure: 'outage' })
  expect(provider.outage()).toContain('closed')
})

test('a server whose certificate no known authority signed gets nothing', async () => {
  const requests: string[] = []
  const tls = createServer(newAuthority('unknown').issue('127.0.0.1'), (request) => void requests.push(request.url ?? ''))
  tls.listen(0, '127.0.0.1')
  await once(tls, 'listening')
  const { failing } = opened({}, `twilio://AC1:t0ken@127.0.0.1:${(tls.address() as AddressInfo).port}`)
  expect(await failing()).toMatchObject({ failure: 'outage' })
  expect(requests).toEqual([])
  tls.close()
})
