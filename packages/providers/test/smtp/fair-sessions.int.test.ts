import { asWorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { EmailMessage } from '../../src/email/port.ts'
import type { SendOptions } from '../../src/port.ts'
import { smtp } from '../../src/smtp/smtp.ts'
import { type SmtpSettings, smtpProvider } from '../../src/smtp/smtp-provider.ts'
import { mail as message } from '../email/mail.fixture.ts'
import { type Script, scriptedServer } from './scripted-server.ts'

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(close.map((end) => end()))
  close = []
})

const signal = new AbortController().signal
/** The id of a workspace. */
const shop = (n: number): string => `0192b1f0-0000-7000-8000-${String(n).padStart(12, '0')}`
const talking = async (script: Script, settings: Partial<SmtpSettings> = {}) => {
  const server = await scriptedServer({ extensions: ['PIPELINING'], ...script })
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
  const send = (changes: Partial<EmailMessage>, options: Partial<SendOptions> = {}) =>
    provider.send({ ...message, ...changes }, { signal, fence: () => undefined, priority: 'marketing', ...options })
  return { server, send }
}
const recipients = (mails: readonly string[]) => mails.map((mail) => /^To: <(.*)>/m.exec(mail)?.[1])
/** A relay that answers no mail but those that are excepted, until the gate opens. */
const holding = (except = /never/) => {
  const gate = Promise.withResolvers<void>()
  const script: Script = { mail: (mail) => (except.test(mail) ? undefined : gate.promise.then(() => '250 taken at last')) }
  return { script, open: gate.resolve }
}

describe('the sessions of a relay that takes its time', () => {
  test('are never all held by marketing: a transactional mail finds one', async () => {
    const { script, open } = holding(/To: <order/)
    const { server, send } = await talking(script, { connections: 5 })
    const campaign = Array.from({ length: 30 }, (_, n) => send({ to: `campaign${n}@example.com` }))
    await until(() => expect(server.mails).toHaveLength(3))
    await send({ to: 'order@example.com' }, { priority: 'transactional' })
    expect(server.mails).toHaveLength(4)
    open()
    await Promise.all(campaign)
    expect(new Set(recipients(server.mails)).size).toBe(31)
  })

  test('go to one mail of each workspace in turn', async () => {
    const { script, open } = holding(/To: <(?!campaign0@)/)
    const { server, send } = await talking(script)
    const campaign = Array.from({ length: 40 }, (_, n) => send({ to: `campaign${n}@example.com`, workspaceId: asWorkspaceId(shop(1)) }))
    await until(() => expect(server.mails).toHaveLength(1))
    const other = send({ to: 'other@example.com', workspaceId: asWorkspaceId(shop(2)) })
    open()
    await Promise.all([...campaign, other])
    expect(recipients(server.mails).indexOf('other@example.com')).toBeLessThan(4)
  })

  test('take no mail whose gate has closed while it waited behind the answer to another, its envelope sent ahead or not', async () => {
    const { script, open } = holding(/To: <(?!first@)/)
    const { server, send } = await talking(script)
    const closed = new Error('the campaign was cancelled')
    let isClosed = false
    const fence = () => (isClosed ? Promise.reject(closed) : undefined)
    const first = send({ to: 'first@example.com' })
    const behind = ['second', 'third', 'fourth'].map((name) => send({ to: `${name}@example.com` }, { fence }))
    const results = Promise.allSettled(behind)
    await until(() => expect(server.mails).toHaveLength(1))
    isClosed = true
    const order = send({ to: 'order@example.com' }, { priority: 'transactional' })
    open()
    await Promise.all([first, order])
    expect(await results).toEqual(behind.map(() => ({ status: 'rejected', reason: closed })))
    // No empty mail arrived either: it would end the transaction of the envelope.
    expect(recipients(server.mails)).toEqual(['first@example.com', 'order@example.com'])
  })

  test('are waited for no longer than the sender wants: a mail that is stopped in the queue is never sent', async () => {
    const { script, open } = holding(/never/)
    const { server, send } = await talking(script)
    const first = send({ to: 'first@example.com' }, { fence: () => undefined })
    await until(() => expect(server.mails).toHaveLength(1))
    const stopping = new AbortController()
    const waiting = ['second', 'third'].map((name) => send({ to: `${name}@example.com` }, { signal: stopping.signal }))
    const settled = Promise.allSettled(waiting)
    stopping.abort()
    await expect(waiting[1]).rejects.toMatchObject({ failure: 'outage' })
    open()
    await first
    await settled
    expect(recipients(server.mails)).not.toContain('third@example.com')
  })
})

describe('a relay that throttles', () => {
  const TOO_FAST = '454 4.7.0 Throttling failure: Maximum sending rate exceeded.'

  test('gets every mail once, few twice, and a transactional one soon, and no try of a mail is used up', async () => {
    // It takes fifty, and fifty more once it was not asked for a while: by the seconds of a clock it would take and refuse by turns what a
    // busy machine sends late.
    const [AT_ONCE, PAUSE_MS] = [50, 100]
    let [left, refused, refusedAt] = [AT_ONCE, 0, 0]
    const answerTo = (): string | undefined => {
      if (left === 0 && refused > 0 && performance.now() - refusedAt >= PAUSE_MS) left = AT_ONCE
      if (left > 0) {
        left--
        return undefined
      }
      refused++
      refusedAt = performance.now()
      return TOO_FAST
    }
    const taken: string[] = []
    const { send } = await talking(
      {
        mail: (mail) => {
          const answer = answerTo()
          if (answer === undefined) taken.push(recipients([mail])[0] ?? '')
          return answer
        },
      },
      { connections: 10 },
    )
    const campaign = Array.from({ length: 240 }, (_, n) =>
      send({ to: `campaign${n}@example${n % 3}.com`, workspaceId: asWorkspaceId(shop(n % 2)) }),
    )
    await until(() => expect(refused).toBeGreaterThan(0))
    const before = taken.length
    await send({ to: 'order@example.com', workspaceId: asWorkspaceId(shop(9)) }, { priority: 'transactional' })
    const orderAt = taken.indexOf('order@example.com') - before
    await Promise.all(campaign)
    expect(new Set(taken).size).toBe(241)
    expect(taken).toHaveLength(241)
    expect(orderAt).toBeLessThan(100)
    expect(refused).toBeLessThan(150)
  })

  test.each(['450 4.7.1 too many messages to this recipient', '450 4.7.1 rate limit exceeded'])(
    'one recipient alone (%s) fails that mail for now after some tries, and delays no other',
    async (reply) => {
      const { server, send } = await talking(
        { answer: (line) => (line.startsWith('RCPT TO:<poison') ? reply : undefined) },
        { connections: 4, callMs: 4_000 },
      )
      const poison = send({ to: 'poison@example.com' }).catch((error: unknown) => error)
      await Promise.all(Array.from({ length: 60 }, (_, n) => send({ to: `fine${n}@example.com`, workspaceId: asWorkspaceId(shop(n % 4)) })))
      expect(await poison).toMatchObject({ failure: 'temporary', response: reply, saidByReceiver: true })
      expect(server.lines.filter((line) => line.startsWith('RCPT TO:<poison'))).toHaveLength(6)
      expect(new Set(recipients(server.mails.filter((mail) => mail !== '.\r\n'))).size).toBe(60)
    },
  )

  test('one recipient by greylisting is tried once, and is the retry’s', async () => {
    const { server, send } = await talking({ answer: (line) => (line.startsWith('RCPT') ? '450 4.7.0 Greylisted' : undefined) })
    await expect(send({})).rejects.toMatchObject({ failure: 'temporary', saidByReceiver: true })
    expect(server.lines.filter((line) => line.startsWith('RCPT'))).toHaveLength(1)
  })

  test('and gets a lasting refusal for all keeps the mails waiting, and uses up no try', async () => {
    let isOver = false
    const { server, send } = await talking({ mail: () => (isOver ? undefined : TOO_FAST) }, { connections: 4 })
    const all = Array.from({ length: 6 }, (_, n) => send({ to: `campaign${n}@example.com` }))
    const settled = vi.fn()
    for (const one of all) one.then(settled, settled)
    await until(() => expect(server.mails.length).toBeGreaterThan(8))
    expect(settled).not.toHaveBeenCalled()
    isOver = true
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(all.map(() => 'fulfilled'))
  })
})
