import { afterEach, describe, expect, test } from 'vitest'
import type { EmailMessage } from '../../src/email/port.ts'
import type { DeliveryError, SendOptions } from '../../src/port.ts'
import { smtp } from '../../src/smtp/smtp.ts'
import { type SmtpSettings, smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'
import { type Script, type ScriptedServer, SILENCE, scriptedServer } from './scripted-server.ts'

const MAIL = 'MAIL FROM:<hello@acme.example>'
const RCPT = 'RCPT TO:<ada@example.com>'

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(close.map((end) => end()))
  close = []
})
const talking = async (script: Script, settings: Partial<SmtpSettings> = {}) => {
  const server: ScriptedServer = await scriptedServer(script)
  const provider = smtpProvider({
    ...smtp.limits,
    url: server.url,
    publicUrl: 'http://127.0.0.1',
    connections: 1,
    callMs: 10_000,
    ...settings,
  })
  close.push(async () => {
    await provider.close()
    await server.stop()
  })
  const send = (changes: Partial<EmailMessage> = {}, fence: SendOptions['fence'] = () => undefined) =>
    provider.send({ ...message, ...changes }, { signal: new AbortController().signal, fence, priority: 'transactional' })
  return { server, send, failing: (changes: Partial<EmailMessage> = {}) => send(changes).catch((error: unknown) => error) }
}
const PIPELINING = ['PIPELINING']

describe('a server that can pipeline', () => {
  test('gets the envelope and DATA in one write, and the mail in the next', async () => {
    const { server, send } = await talking({ extensions: PIPELINING })
    await send()
    await send()
    expect(server.writes).toEqual([`${MAIL}\r\n${RCPT}\r\nDATA\r\n`, `${MAIL}\r\n${RCPT}\r\nDATA\r\n`])
    expect(server.mails).toHaveLength(2)
  })

  test('and refuses the recipient but waits for a mail gets an empty one, and the next mail on the same session', async () => {
    const { server, failing, send } = await talking({
      extensions: PIPELINING,
      answer: (line) => (line === RCPT ? '550 5.1.1 no such user' : undefined),
    })
    expect(await failing()).toMatchObject({ failure: 'recipient', response: '550 5.1.1 no such user' })
    await send({ to: 'eve@example.com' })
    expect(server.mails[0]).toBe('.\r\n')
    expect(server.mails[1]).toContain('To: <eve@example.com>')
    expect(server.lines).toEqual([MAIL, RCPT, 'DATA', 'RSET', MAIL, 'RCPT TO:<eve@example.com>', 'DATA'])
  })

  test('and refuses the recipient and DATA gets no mail at all', async () => {
    const { server, failing } = await talking({
      extensions: PIPELINING,
      answer: (line) => (line === RCPT ? '451 greylisted' : line === 'DATA' ? '503 no valid recipients' : undefined),
    })
    expect(await failing()).toMatchObject({ failure: 'temporary', response: '451 greylisted', saidByReceiver: true })
    expect(server.mails).toEqual([])
  })

  test('and refuses the sender: the failure has that answer, not those that follow from it', async () => {
    const { failing } = await talking({
      extensions: PIPELINING,
      answer: (line) => (line === MAIL ? '550 not you' : line === 'RSET' ? undefined : '503 no sender'),
    })
    expect(await failing()).toMatchObject({ failure: 'refused', response: '550 not you' })
  })

  test('and refuses DATA alone is a temporary failure', async () => {
    const { failing } = await talking({ extensions: PIPELINING, answer: (line) => (line === 'DATA' ? '452 disk full' : undefined) })
    expect(await failing()).toMatchObject({ failure: 'temporary', response: '452 disk full' })
  })

  test('and closes the session (421) in the middle of its answers is not waited for', async () => {
    const { failing } = await talking({
      extensions: PIPELINING,
      answer: (line) => (line === RCPT ? '421 4.7.0 too many mails' : line === 'DATA' ? null : undefined),
    })
    expect(await failing()).toMatchObject({ failure: 'temporary', response: '421 4.7.0 too many mails', saidByReceiver: true })
  })
})

describe('while mails wait, a server that can pipeline', () => {
  const TO = ['one@example.com', 'two@example.com', 'three@example.com'] as const
  const envelope = (to: string) => `${MAIL}\r\nRCPT TO:<${to}>\r\nDATA\r\n`
  const recipients = (mails: readonly string[]) => mails.map((mail) => /^To: <(.*)>/m.exec(mail)?.[1])
  /** What became of each of three mails that were sent at once. */
  const outcomes = async (send: (changes: Partial<EmailMessage>) => Promise<unknown>) =>
    await Promise.all(
      TO.map((to) =>
        send({ to }).then(
          () => 'taken',
          ({ failure }: DeliveryError) => failure,
        ),
      ),
    )

  test('gets the next envelope in the write of the mail before it', async () => {
    const { server, send } = await talking({ extensions: PIPELINING })
    expect(await outcomes(send)).toEqual(['taken', 'taken', 'taken'])
    expect(server.writes).toEqual([envelope(TO[0])])
    expect(server.lines.filter((line) => line.startsWith('RCPT'))).toEqual(TO.map((to) => `RCPT TO:<${to}>`))
    expect(recipients(server.mails)).toEqual(TO)
  })

  test('and refuses a mail gets the next, whose envelope it has already', async () => {
    const { server, send } = await talking({ extensions: PIPELINING, mail: (mail) => (mail.includes(TO[0]) ? '554 spam' : undefined) })
    expect(await outcomes(send)).toEqual(['refused', 'taken', 'taken'])
    expect(server.lines).not.toContain('RSET')
  })

  test('and refuses the next recipient, takes the mail before it and the one behind it', async () => {
    const { server, send } = await talking({
      extensions: PIPELINING,
      answer: (line) => (line.includes(TO[1]) ? '550 no such user' : undefined),
    })
    expect(await outcomes(send)).toEqual(['taken', 'recipient', 'taken'])
    expect(recipients(server.mails.filter((mail) => mail !== '.\r\n'))).toEqual([TO[0], TO[2]])
  })

  test('and hangs up instead of answering a mail has not had the next: that goes out on another session, once', async () => {
    const { server, send } = await talking({ extensions: PIPELINING, mail: (mail) => (mail.includes(TO[0]) ? null : undefined) })
    expect(await outcomes(send)).toEqual(['unconfirmed', 'taken', 'taken'])
    expect(recipients(server.mails).toSorted()).toEqual(TO.toSorted())
  })

  test('and closes the session (421) with its answer to a mail: the others go out on another session', async () => {
    const { server, send } = await talking({
      extensions: PIPELINING,
      mail: (_, connection) => (connection === 0 ? '421 4.3.0 shutting down' : undefined),
    })
    expect(await outcomes(send)).toEqual(['temporary', 'taken', 'taken'])
    expect(recipients(server.mails).toSorted()).toEqual(TO.toSorted())
  })

  test('gets no envelope of a mail whose lease is lost', async () => {
    const { server, send } = await talking({ extensions: PIPELINING })
    const lost = async () => Promise.reject(new Error('the lease is lost'))
    const sent = [send({ to: TO[0] }), send({ to: TO[1] }, lost), send({ to: TO[2] })]
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(recipients(server.mails)).toEqual([TO[0], TO[2]])
    expect(server.lines).not.toContain(`RCPT TO:<${TO[1]}>`)
  })

  test('is given a mail whose lease had to be renewed first when that is done, and the mail before it does not wait', async () => {
    const renewed = Promise.withResolvers<undefined>()
    const { server, send } = await talking({ extensions: PIPELINING })
    const [first, second] = [send({ to: TO[0] }), send({ to: TO[1] }, () => renewed.promise)]
    await first
    expect(recipients(server.mails)).toEqual([TO[0]])
    renewed.resolve(undefined)
    await second
    expect(recipients(server.mails)).toEqual([TO[0], TO[1]])
  })

  test('and never answers a mail fails that mail alone: the next goes out on another session', async () => {
    const { server, send } = await talking(
      { extensions: PIPELINING, mail: (mail) => (mail.includes(TO[0]) ? SILENCE : undefined) },
      { callMs: 6_000, answerMs: 6_000 },
    )
    expect(await outcomes(send)).toEqual(['unconfirmed', 'taken', 'taken'])
    expect(recipients(server.mails).toSorted()).toEqual(TO.toSorted())
  })
})

describe('a server that cannot', () => {
  test('gets one command at a time, and none after a refusal', async () => {
    const { server, failing, send } = await talking({ answer: (line) => (line === RCPT ? '550 no' : undefined) })
    expect(await failing()).toMatchObject({ failure: 'recipient' })
    await send({ to: 'eve@example.com' })
    const writes = [MAIL, RCPT, 'RSET', MAIL, 'RCPT TO:<eve@example.com>', 'DATA'].map((line) => `${line}\r\n`)
    expect(server.writes).toEqual(writes)
  })
})

describe.each([
  ['pipelined', PIPELINING],
  ['step by step', []],
] as const)('a server that hangs up, %s', (_, extensions) => {
  test('before it has the mail: the mail goes out at once on another session', async () => {
    const { server, send } = await talking({
      extensions,
      answer: (line, connection) => (line === RCPT && connection === 0 ? null : undefined),
    })
    await send()
    expect(server.mails).toHaveLength(1)
  })

  test('when it has the mail and has not answered: it may have taken it, so nothing is sent again', async () => {
    const { server, failing } = await talking({ extensions, mail: () => null })
    expect(await failing()).toMatchObject({ failure: 'unconfirmed', response: null })
    expect(server.mails).toHaveLength(1)
  })

  test('when it answers something that is not SMTP', async () => {
    const { failing } = await talking({ extensions, answer: (line) => (line === MAIL ? 'hello?' : undefined) })
    expect(await failing()).toMatchObject({ failure: 'temporary' })
  })
})

describe('what a server announces', () => {
  test('makes the size part of the envelope, and a mail above it is not offered', async () => {
    const { server, failing, send } = await talking({ extensions: ['SIZE 2000'] })
    expect(await failing({ html: 'x'.repeat(3_000) })).toMatchObject({ failure: 'refused' })
    expect(server.lines).toEqual([])
    await send()
    expect(server.lines[0]).toBe(`${MAIL} SIZE=${Buffer.byteLength(server.mails[0] ?? '') - '.\r\n'.length}`)
  })

  test('decides whether an address beyond ASCII can be sent to', async () => {
    const international = await talking({ extensions: ['8BITMIME', 'SMTPUTF8'] })
    await international.send({ to: 'zoë@example.com' })
    expect(international.server.lines[0]).toBe(`${MAIL} BODY=8BITMIME SMTPUTF8`)
    const ascii = await talking({})
    expect(await ascii.failing({ to: 'zoë@example.com' })).toMatchObject({ failure: 'refused' })
    expect(ascii.server.lines).toEqual([])
  })
})

describe('a Reply-To beyond ASCII', () => {
  test('asks for SMTPUTF8, because the headers are not ASCII then, and arrives as it was', async () => {
    const { server, send } = await talking({ extensions: ['8BITMIME', 'SMTPUTF8'] })
    await send({ replyTo: 'zoë@bücher.example' })
    expect(server.lines[0]).toBe(`${MAIL} BODY=8BITMIME SMTPUTF8`)
    expect(server.mails[0]).toContain('Reply-To: <zoë@xn--bcher-kva.example>\r\n')
  })

  test('is refused here where the server does not take it, instead of being mangled on the way', async () => {
    const { server, failing } = await talking({})
    expect(await failing({ replyTo: 'zoë@example.com' })).toMatchObject({
      failure: 'refused',
      message: expect.stringContaining('SMTPUTF8'),
    })
    expect(server.lines).toEqual([])
  })

  test('needs nothing where only its domain is beyond ASCII', async () => {
    const { server, send } = await talking({})
    await send({ replyTo: 'zoe@bücher.example' })
    expect(server.mails[0]).toContain('Reply-To: <zoe@xn--bcher-kva.example>\r\n')
    expect(Buffer.byteLength(server.mails[0] ?? '')).toBe(server.mails[0]?.length)
  })
})

test('a line that begins with a dot arrives as it was, and ends no mail', async () => {
  const { server, send } = await talking({ extensions: PIPELINING })
  await send({ text: 'one\n.\n..two\n' })
  expect(server.mails).toHaveLength(1)
  expect(server.mails[0]).toContain('\r\none\r\n..\r\n...two\r\n')
})

test('a session that the server ended (421) while it was idle is not used again', async () => {
  const { server, send } = await talking({
    extensions: PIPELINING,
    mail: (_, connection) => (connection === 0 ? '250 taken\r\n421 bye' : undefined),
  })
  await send()
  await send()
  expect(server.mails).toHaveLength(2)
})
