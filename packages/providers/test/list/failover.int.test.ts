import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { asMessageId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EmailProvider } from '../../src/email/port.ts'
import { createSmsProvider, createVoiceProvider, emailProvider } from '../../src/open-provider.ts'
import { DeliveryError, type SendOptions } from '../../src/port.ts'
import { mail } from '../email/mail.fixture.ts'

const mailTo = (to: string) => ({ ...mail, messageId: asMessageId(crypto.randomUUID()), to })
/** Nothing is stored here. */
const pool = {} as Pool
const shared = { publicUrl: 'https://mail.acme.example', pool, callMs: 60_000 }
const options = (more: Partial<SendOptions> = {}): SendOptions => ({
  ...{ signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' },
  ...more,
})

describe('of two relays', () => {
  let [first, second]: SmtpSink[] = []
  let provider: EmailProvider
  const outages: (readonly [string, string | null])[] = []
  beforeEach(async () => {
    outages.length = 0
    ;[first, second] = await Promise.all([startSmtpSink(), startSmtpSink()])
    provider = await emailProvider({
      ...shared,
      provider: `${first?.url},${second?.url}`,
      each: (label) => ({ onOutage: (reason) => void outages.push([label, reason]) }),
    })
  })
  afterEach(async () => {
    await provider.close()
    await Promise.all([first?.stop(), second?.stop()])
  })
  const labelOf = (sink: SmtpSink | undefined) => new URL(sink?.url ?? '').host
  const takenBy = (sink: SmtpSink | undefined) => sink?.mails.flatMap(({ to }) => to)

  test('mail goes to the second while the first cannot be reached, and back when it can', async () => {
    expect(await provider.send(mailTo('1@example.com'), options())).toMatchObject({ provider: labelOf(first) })
    await first?.stop()
    expect(await provider.send(mailTo('2@example.com'), options())).toMatchObject({ provider: labelOf(second) })
    expect(provider.outage()).toBeNull()
    expect(outages).toEqual([[labelOf(first), expect.any(String)]])
    await first?.start()
    await until(() => expect(outages.at(-1)).toEqual([labelOf(first), null]))
    expect(await provider.send(mailTo('3@example.com'), options())).toMatchObject({ provider: labelOf(first) })
    expect([takenBy(first), takenBy(second)]).toEqual([['1@example.com', '3@example.com'], ['2@example.com']])
  })

  test('what waits for a session of the first moves, and what the first has in its hands does not', async () => {
    const inHands = Promise.withResolvers<void>()
    if (first !== undefined)
      first.answers.data = async () => {
        inHands.resolve()
        await new Promise(() => undefined)
        return undefined
      }
    const held = provider.send(mailTo('held@example.com'), options()).catch((error: unknown) => error)
    await inHands.promise
    await first?.stop()
    expect(await held).toMatchObject({ failure: 'unconfirmed' })
    expect(await provider.send(mailTo('waits@example.com'), options())).toMatchObject({ provider: labelOf(second) })
    // Once more: to the first alone, which is away.
    const bound = options({ boundTo: labelOf(first) })
    await expect(provider.send(mailTo('held@example.com'), bound)).rejects.toMatchObject({ failure: 'outage' })
    expect(takenBy(second)).toEqual(['waits@example.com'])
  })

  test('a recipient that the first refuses is not asked of the second', async () => {
    if (first !== undefined) first.answers.rcpt = () => ({ code: 550, message: '5.1.1 unknown' })
    await expect(provider.send(mailTo('unknown@example.com'), options())).rejects.toMatchObject({ failure: 'recipient' })
    expect(takenBy(second)).toEqual([])
  })

  test('a fence is asked of each provider that is free for the message, and sends nothing where it rejects', async () => {
    await first?.stop()
    let asked = 0
    const fence = () => {
      asked++
      return Promise.reject(new Error('another worker has the job'))
    }
    await expect(provider.send(mailTo('fenced@example.com'), options({ fence }))).rejects.toThrow('another worker has the job')
    expect({ asked, taken: takenBy(second) }).toEqual({ asked: 1, taken: [] })
  })
})

describe('of two APIs', () => {
  let [first, second]: TwilioServer[] = []
  beforeEach(async () => {
    ;[first, second] = await Promise.all([startTwilioServer(), startTwilioServer()])
  })
  afterEach(async () => {
    await Promise.all([first?.stop(), second?.stop()])
  })
  const setting = () => `${first?.url},${second?.url}`
  const ids = { workspaceId: mail.workspaceId, messageId: mail.messageId }

  test('a passcode by text or call leaves by the second at once', async () => {
    const sms = await createSmsProvider({ ...shared, provider: setting() })
    const voice = await createVoiceProvider({ ...shared, provider: setting() })
    await first?.stop()
    const passcode = options({ priority: 'passcode' })
    const text = { ...ids, to: '+972541234567', from: 'SHOP', body: 'Your code is 123456' }
    const call = { ...ids, to: '+972541234567', from: '+97231234567', message: 'Your code is {{code}}', code: '123456', locale: 'en' }
    expect((await sms.send(text, passcode)).provider).toBe(sms.name.replace(/:\d+$/, `:${new URL(second?.url ?? '').port}`))
    expect((await voice.call(call, passcode)).provider).toBe(voice.name.replace(/:\d+$/, `:${new URL(second?.url ?? '').port}`))
    expect(second?.taken.map(({ form }) => form.To)).toEqual(['+972541234567', '+972541234567'])
    await Promise.all([sms.close(), voice.close()])
  })

  test('a passcode leaves by the second where the first takes connections and says nothing, by TLS and by SMPP', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    for (const swallowing of [`twilio://AC1:secret@${address}`, `smpp://user:secret@${address}`]) {
      // It takes longer than this test may until the first is in an outage.
      const sms = await createSmsProvider({ ...shared, callMs: 3_600_000, provider: `${swallowing},${second?.url}` })
      const passcode = { ...ids, to: '+972541234567', from: 'SHOP', body: 'Your code is 123456' }
      expect((await sms.send(passcode, options({ priority: 'passcode' }))).provider).toMatch(`:${new URL(second?.url ?? '').port}`)
      await sms.close()
    }
    expect(second?.taken).toHaveLength(2)
    silent.close()
  })

  test('a text whose answer is missing is given to no other', async () => {
    const sms = await createSmsProvider({ ...shared, provider: setting() })
    if (first !== undefined) first.control.rule = () => (response) => void response.destroy()
    const failed = sms.send({ ...ids, to: '+972541234567', from: 'SHOP', body: 'Hi' }, options())
    await expect(failed).rejects.toBeInstanceOf(DeliveryError)
    await expect(failed).rejects.toMatchObject({ failure: 'unconfirmed' })
    expect(second?.requests).toEqual([])
    await sms.close()
  })
})
