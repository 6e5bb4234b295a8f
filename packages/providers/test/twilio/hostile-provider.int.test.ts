import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { startTwilioServer, type TwilioRule, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DeliveryError, SendOptions } from '../../src/port.ts'
import type { SmsProvider } from '../../src/sms/port.ts'
import { parseTwilioUrl } from '../../src/twilio/account.ts'
import { twilioSms } from '../../src/twilio/twilio.ts'
import { createTwilioSmsProvider } from '../../src/twilio/twilio-providers.ts'

const message = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192b1f0-0000-7000-8000-00000000000a'),
  to: '+972501234567',
  from: 'Acme',
  body: 'Your code is 493817',
}
const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }

let server: TwilioServer
let elsewhere: Server
let visits = 0
let provider: SmsProvider
beforeEach(async () => {
  server = await startTwilioServer()
  visits = 0
  elsewhere = createServer((_, response) => {
    visits++
    response.end()
  })
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  provider = openedAt(server.url)
})
afterEach(async () => {
  await provider.close()
  await server.stop()
  elsewhere.close()
})

/** What a call may take where a test waits for its end. */
const SHORT_CALL_MS = 4_000
/** `callMs`: no call that is answered takes so long, unless a test waits for the end of one that is not. */
const openedAt = (url: string, callMs = 60_000): SmsProvider =>
  createTwilioSmsProvider({
    ...twilioSms.limits,
    account: parseTwilioUrl(url, 'SMS'),
    publicUrl: 'https://api.acme.example',
    callMs,
  })
const sent = (by = provider): Promise<Readonly<{ providerMessageId: string }> | DeliveryError> =>
  by.send(message, options).catch((error: DeliveryError) => error)
const whole = (answer: object): string => JSON.stringify({ account_sid: server.account.sid, ...answer })

const unconfirmed: readonly (readonly [string, TwilioRule])[] = [
  ['wrong JSON', (response) => response.writeHead(201).end('{"sid": "SM')],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')],
  ['no body', (response) => response.writeHead(201).end()],
  ['the SID of another account', (response) => response.writeHead(201).end('{"sid":"SM1","account_sid":"ACother"}')],
  ['a SID with a line break', (response) => response.writeHead(201).end(whole({ sid: 'SM1\nX' }))],
  ['a huge body', (response) => response.writeHead(201).end(whole({ sid: 'SM1', pad: 'x'.repeat(20_000_000) }))],
  ['a head that is too long', (response) => response.writeHead(201, { 'x-pad': 'x'.repeat(200_000) }).end(whole({ sid: 'SM1' }))],
]
const endless: readonly (readonly [string, TwilioRule])[] = [
  ['a body that ends before its length', (response) => response.writeHead(201, { 'content-length': '1000' }).end('{"sid":"SM1"}')],
  ['a head and then silence', (response) => response.writeHead(201).flushHeaders()],
  [
    'a body that never ends',
    (response) => {
      response.writeHead(201)
      const more = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(more))
    },
  ],
]

test.each(unconfirmed)('%s leaves the message unconfirmed, and the next one goes', async (_, rule) => {
  server.control.rule = () => rule
  expect(await sent()).toMatchObject({ name: 'DeliveryError', failure: 'unconfirmed' })
  server.control.rule = undefined
  expect(await sent()).toMatchObject({ providerMessageId: server.taken.at(-1)?.sid })
})

test.each(endless)('%s leaves the message unconfirmed, and the next one goes', async (_, rule) => {
  const there = openedAt(server.url, SHORT_CALL_MS)
  server.control.rule = () => rule
  expect(await sent(there)).toMatchObject({ name: 'DeliveryError', failure: 'unconfirmed' })
  server.control.rule = undefined
  expect(await sent(there)).toMatchObject({ providerMessageId: server.taken.at(-1)?.sid })
  await there.close()
})

test.each([301, 302, 303, 307, 308])('a redirect with %d is not followed, and nothing goes where it leads', async (status) => {
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
  server.control.rule = () => ({ status, headers: { location } })
  expect(await sent()).toMatchObject({ failure: 'outage' })
  expect(visits).toBe(0)
})

test.each([302, 401, 403, 404])('a server that answers one message with %d and works otherwise refuses that message', async (status) => {
  server.control.rule = ({ form }) => (form.To === message.to ? { status } : undefined)
  expect(await sent()).toMatchObject({ failure: 'refused' })
  expect(provider.outage()).toBeNull()
})

test('slow headers end with the time of a call', async () => {
  const sockets: Socket[] = []
  const slow = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 201 Created\r\n')
    const more = setInterval(() => socket.write('x-pad: 1\r\n'), 20)
    socket.on('close', () => clearInterval(more))
  })
  slow.listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const there = openedAt(`twilio://AC1:t@127.0.0.1:${(slow.address() as AddressInfo).port}?protocol=http`, SHORT_CALL_MS)
  expect(await sent(there)).toMatchObject({ failure: 'unconfirmed' })
  await there.close()
  for (const socket of sockets) socket.destroy()
  slow.close()
})

test.each([
  ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ['two answers', 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}'],
  ['two lengths', 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}'],
])('a server that answers with %s leaves the message unconfirmed', async (_, bytes) => {
  const odd = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(bytes))
  })
  odd.listen(0, '127.0.0.1')
  await once(odd, 'listening')
  const there = openedAt(`twilio://AC1:t@127.0.0.1:${(odd.address() as AddressInfo).port}?protocol=http`)
  expect(await sent(there)).toMatchObject({ failure: 'unconfirmed' })
  await there.close()
  odd.close()
})

test('words of the server are bounded, and repeat neither the code nor the token', async () => {
  const echo = `${message.body} ${server.account.token} 4 9 3 8 1 7 ${'x'.repeat(100_000)}`
  server.control.rule = () => ({ status: 400, code: 99_999, message: echo.slice(0, 10_000) })
  const error = (await sent()) as DeliveryError
  expect(error).toMatchObject({ failure: 'refused' })
  expect(error.response?.length).toBeLessThan(600)
  expect(`${error.message} ${error.response}`).not.toMatch(/493817|4 9 3 8 1 7/)
  expect(`${error.message} ${error.response}`).not.toContain(server.account.token)
})

test('the reason of an outage, which is logged, names no recipient', async () => {
  server.control.rule = () => ({ status: 500, code: 20500, message: `cannot reach ${message.to} (972501234567)` })
  const errors: unknown[] = []
  while (provider.outage() === null) errors.push(await sent())
  expect(`${provider.outage()} ${errors.map((error) => (error as DeliveryError).message).join()}`).not.toContain('972501234567')
})
