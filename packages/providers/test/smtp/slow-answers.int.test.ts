import { until } from '@tidings/testing'
import { describe, expect, type TestContext, test } from 'vitest'
import { smtp } from '../../src/smtp/smtp.ts'
import { type SmtpSettings, smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'
import { type Script, SILENCE, scriptedServer } from './scripted-server.ts'

const PIPELINING = ['PIPELINING']

type Talk = Readonly<{ context: TestContext; script: Script; settings?: Partial<SmtpSettings> }>

const talking = async ({ context, script, settings = {} }: Talk) => {
  const server = await scriptedServer(script)
  const provider = smtpProvider({
    ...smtp.limits,
    url: server.url,
    publicUrl: 'http://127.0.0.1',
    connections: 1,
    callMs: 5_000,
    ...settings,
  })
  context.onTestFinished(async () => {
    await provider.close()
    await server.stop()
  })
  const send = (to = message.to, handedOver: () => void = () => undefined) =>
    provider.send(
      { ...message, to },
      { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional', handedOver },
    )
  const failing = (to?: string) => send(to).catch((error: unknown) => error)
  return { server, send, failing }
}
const recipients = (mails: readonly string[]) => mails.map((mail) => /^To: <(.*)>/m.exec(mail)?.[1])

/** A server that holds its answer to mails to `slow…` until the gate opens. */
const slowTo = (gate: Promise<void>, extensions: readonly string[] = PIPELINING): Script => {
  const connections = new Set<number>()
  return {
    extensions,
    answer: (_, connection) => void connections.add(connection),
    mail: (mail) => (mail.includes('To: <slow') ? gate.then(() => '250 taken at last') : undefined),
  }
}

// They wait, so at once.
describe.concurrent.each([
  ['pipelined', PIPELINING],
  ['step by step', []],
] as const)('a server that takes its time over a mail, %s', (_, extensions) => {
  test('is waited for: the mail is sent once, and is taken', async (context) => {
    const gate = Promise.withResolvers<void>()
    const { server, send } = await talking({ context, script: slowTo(gate.promise, extensions) })
    const slow = send('slow@example.com')
    // Another mail that comes and goes meanwhile shows that the time of a command has passed.
    await send('quick@example.com')
    gate.resolve()
    expect(await slow).toMatchObject({ providerMessageId: expect.stringContaining(message.messageId) })
    expect(recipients(server.mails).toSorted()).toEqual(['quick@example.com', 'slow@example.com'])
  })
})

test.concurrent('mails behind a slow one, the one whose envelope was sent ahead too, go out on another session', async (context) => {
  const gate = Promise.withResolvers<void>()
  const { server, send } = await talking({ context, script: slowTo(gate.promise) })
  const slow = send('slow@example.com')
  await Promise.all(['one@example.com', 'two@example.com'].map((to) => send(to)))
  expect(recipients(server.mails).toSorted()).toEqual(['one@example.com', 'slow@example.com', 'two@example.com'])
  gate.resolve()
  await slow
  await send('three@example.com')
  // No mail has followed the envelope that was left behind: not even an empty one.
  expect(server.mails).toHaveLength(4)
})

test.concurrent('at most as many sessions as are allowed wait for slow answers beside the others', async (context) => {
  const gate = Promise.withResolvers<void>()
  const connections = new Set<number>()
  const script: Script = { ...slowTo(gate.promise), answer: (_, connection) => void connections.add(connection) }
  const { server, send } = await talking({ context, script, settings: { connections: 2 } })
  const sent = Array.from({ length: 10 }, (_, n) => send(`slow${n}@example.com`))
  await until(() => expect(server.mails).toHaveLength(4))
  expect(connections.size).toBe(4)
  gate.resolve()
  await Promise.all(sent)
  expect(new Set(recipients(server.mails)).size).toBe(10)
  expect(server.mails).toHaveLength(10)
})

test.concurrent('a mail that is never answered is unconfirmed, not failed: it may have been taken', async (context) => {
  const { server, failing } = await talking({
    context,
    script: { extensions: PIPELINING, mail: () => SILENCE },
    settings: { answerMs: 5_000 },
  })
  expect(await failing()).toMatchObject({ failure: 'unconfirmed', message: 'no answer from the mail server to the mail within 5000 ms' })
  expect(server.mails).toHaveLength(1)
})

test.concurrent('a command that is never answered is a temporary failure, and no mail has left', async (context) => {
  const { server, failing } = await talking({
    context,
    script: { extensions: PIPELINING, answer: (line) => (line === 'DATA' ? SILENCE : undefined) },
  })
  expect(await failing()).toMatchObject({ failure: 'temporary', message: 'no answer from the mail server within 5000 ms' })
  expect(server.mails).toHaveLength(0)
})

test.concurrent('the sender of a mail is notified when that mail has left', async (context) => {
  const left: string[] = []
  const { send } = await talking({
    context,
    script: {
      extensions: PIPELINING,
      answer: (line) => (line.startsWith('RCPT TO:<gone') ? '550 5.1.1 no such user' : undefined),
    },
  })
  await Promise.allSettled(['one@example.com', 'gone@example.com'].map((to) => send(to, () => void left.push(to))))
  expect(left).toEqual(['one@example.com'])
})
