import { until } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterEach, expect, test, vi } from 'vitest'
import type { EmailProvider } from '../../src/email/port.ts'
import { smtp } from '../../src/smtp/smtp.ts'
import { type SmtpSettings, smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'
import { type Script, type ScriptedServer, scriptedServer } from './scripted-server.ts'

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of close.toReversed()) await end()
  close = []
})
const opened = (url: string, settings: Partial<SmtpSettings> = {}) => {
  const changes: (string | null)[] = []
  const provider: EmailProvider = smtpProvider({
    ...smtp.limits,
    url,
    publicUrl: 'http://127.0.0.1',
    callMs: 60_000,
    onOutage: (reason) => void changes.push(reason),
    ...settings,
  })
  close.push(() => provider.close())
  const send = () => provider.send(message, { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' })
  return { provider, changes, send, failing: () => send().catch((error: unknown) => error) }
}
const scripted = async (script: Script): Promise<ScriptedServer> => {
  const server = await scriptedServer(script)
  close.push(server.stop)
  return server
}
const sink = async (...options: Parameters<typeof startSmtpSink>): Promise<SmtpSink> => {
  const started = await startSmtpSink(...options)
  close.push(started.stop)
  return started
}
const OUTAGE = { name: 'DeliveryError', failure: 'outage', saidByReceiver: false }

test('a closed port is an outage: reported once however many mails wait, and over by itself', async () => {
  const server = await sink()
  await server.stop()
  const { provider, changes, send, failing } = opened(server.url, { connections: 3 })
  for (const error of await Promise.all(Array.from({ length: 10 }, failing))) expect(error).toMatchObject(OUTAGE)
  expect(changes).toEqual([expect.stringContaining('ECONNREFUSED')])
  expect(provider.outage()).toBe(changes[0])
  await server.start()
  // No mail is sent: that the server is back is found out without one.
  await until(() => expect(provider.outage()).toBeNull())
  expect(changes).toEqual([expect.any(String), null])
  await send()
  expect(server.mails).toHaveLength(1)
})

test.each([
  '554 5.3.2 system does not accept network messages',
  '421 4.3.2 service not available',
  '554-No SMTP service here\r\n554 go away',
])('a greeting of %s is an outage', async (greeting) => {
  const server = await scripted({ greeting: () => greeting })
  expect(await opened(server.url).failing()).toMatchObject({ ...OUTAGE, message: expect.stringContaining(greeting.slice(0, 3)) })
})

test('a server that closes every session at once is an outage', async () => {
  const server = await scripted({ greeting: () => '220 hello\r\n421 too busy' })
  expect(await opened(server.url).failing()).toMatchObject(OUTAGE)
})

test('a refused login is an outage, and the password is not repeated, whatever the server answers', async () => {
  const server = await sink({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      done(new Error(`who is ${Buffer.from(`\0${username}\0${password}`).toString('base64')} with ${password}?`)),
  })
  const { failing, changes } = opened(server.url.replace('://', '://shop:s3cret@'))
  expect(await failing()).toMatchObject({ ...OUTAGE, message: 'Invalid login: 535 who is [redacted] with [redacted]?' })
  expect(changes).toHaveLength(1)
})

test('a server that refuses a further session keeps the one it took: that is no outage', async () => {
  const gate = Promise.withResolvers<void>()
  const server = await sink({ maxClients: 1 })
  server.answers.data = () => gate.promise.then(() => undefined)
  const { provider, changes, send } = opened(server.url, { connections: 3 })
  const sent = Array.from({ length: 5 }, send)
  await until(() => expect(server.connections()).toBeGreaterThan(0))
  gate.resolve()
  await Promise.all(sent)
  expect(server.mails).toHaveLength(5)
  expect([provider.outage(), changes]).toEqual([null, []])
})

test('a server that goes away costs no mail a try that had not left', async () => {
  const server = await scripted({
    greeting: (connection) => (connection === 0 ? '220 hello' : '421 shutting down'),
    answer: (line) => (line.startsWith('RCPT') ? null : undefined),
  })
  const { failing } = opened(server.url, { connections: 1 })
  for (const error of await Promise.all(Array.from({ length: 3 }, failing))) expect(error).toMatchObject(OUTAGE)
  expect(server.mails).toEqual([])
})

/** A sink that answers mails only from `open` on. */
const gated = async () => {
  const server = await sink()
  const gate = Promise.withResolvers<void>()
  server.answers.data = () => gate.promise.then(() => undefined)
  return { server, open: gate.resolve }
}

test('after an outage under load as many sessions are open at once as before it', async () => {
  const { server, open } = await gated()
  const { provider, changes, send, failing } = opened(server.url, { connections: 5 })
  const before = Array.from({ length: 20 }, failing)
  await until(() => expect(server.connections()).toBe(4))
  await server.stop()
  await Promise.all(before)
  expect(provider.outage()).not.toBeNull()
  await server.start()
  await until(() => expect(provider.outage()).toBeNull())
  const after = Array.from({ length: 20 }, send)
  await until(() => expect(server.connections()).toBe(4))
  open()
  await Promise.all(after)
  expect(server.mails).toHaveLength(20)
  expect(changes).toEqual([expect.any(String), null])
})

test('a session that the server refuses once is opened later, while the others are busy', async () => {
  const gate = Promise.withResolvers<void>()
  const greetings: number[] = []
  const server = await scripted({
    greeting: (connection) => {
      greetings.push(connection)
      return connection === 1 ? '421 too many sessions' : '220 hello'
    },
    mail: () => gate.promise.then(() => '250 taken'),
  })
  const { provider, changes, send } = opened(server.url, { connections: 2 })
  const first = send()
  await until(() => expect(server.mails).toHaveLength(1))
  const others = Array.from({ length: 3 }, send)
  await until(() => expect(greetings).toEqual([0, 1, 2]))
  gate.resolve()
  await Promise.all([first, ...others])
  expect([provider.outage(), changes]).toEqual([null, []])
})

test('a session that was refused before an outage keeps none back after it', async () => {
  // The time after which a further session is tried never comes.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  close.push(async () => clock.mockRestore())
  const greetings: number[] = []
  const open = Promise.withResolvers<void>()
  const server = await scripted({
    greeting: (connection) => {
      greetings.push(connection)
      return connection === 1 || connection === 2 ? '421 too many sessions' : '220 hello'
    },
    answer: (line, connection) => (connection === 0 && line.startsWith('RCPT') && greetings.length > 1 ? null : undefined),
    mail: (_, connection) => (connection === 0 ? '250 taken' : open.promise.then(() => '250 taken')),
  })
  const { provider, changes, failing } = opened(server.url, { connections: 2 })
  // Two at once: one has the session, the other is refused one. The session ends with the mail after it.
  const [first, second] = [failing(), failing()]
  await until(() => expect(greetings).toContain(1))
  await Promise.all([first, second, failing()])
  await until(() => expect(changes).toEqual([expect.any(String), null]))
  expect(provider.outage()).toBeNull()
  const after = [failing(), failing()]
  await until(() => expect(greetings).toEqual([0, 1, 2, 3, 4]))
  open.resolve()
  const sent = expect.objectContaining({ providerMessageId: expect.any(String) })
  expect(await Promise.all(after)).toEqual([sent, sent])
})
