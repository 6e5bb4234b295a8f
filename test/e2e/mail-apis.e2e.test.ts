import { until } from '@tidings/testing'
import { type MailgunServer, startMailgunServer } from '@tidings/testing/mailgun-server'
import { type SesServer, startSesServer } from '@tidings/testing/ses-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let server: MailgunServer
let amazon: SesServer
let world: World
let acme: Client
beforeAll(async () => {
  ;[server, amazon] = await Promise.all([startMailgunServer(), startSesServer()])
  world = await startWorld({ TIDINGS_EMAIL_PROVIDER: `${server.url},${amazon.url}` })
  acme = await world.workspace('acme')
})
afterAll(async () => {
  await world?.stop()
  await server?.stop()
  await amazon?.stop()
})

const postTo = async (provider: string, type: string, body: string): Promise<number> => {
  const headers = { 'content-type': type }
  const answer = await fetch(`${world.url}/api/v1/providers/email/${provider}`, { method: 'POST', headers, body })
  await answer.body?.cancel()
  return answer.status
}
const post = (body: string): Promise<number> => postTo('mailgun', 'application/json', body)
/** As SNS posts. */
const publish = (body: string): Promise<number> => postTo('ses', 'text/plain; charset=UTF-8', body)
/** A report about the mail that went to that address. */
const reportOf = (to: string, event: object) => {
  const mime = server.taken.find((mail) => mail.to === to)?.mime ?? ''
  const id = /^Message-ID: <([^>]*)>/im.exec(mime)?.[1]
  return { recipient: to, message: { headers: { 'message-id': id } }, ...event }
}

it('a mail leaves as MIME, is not tracked by Mailgun, and its reports move it', async () => {
  const id = await acme.send('ada@example.com')
  const sent = await acme.messageWith(id, 'sent')
  const [mail] = server.taken
  expect(mail?.fields['o:tracking']).toBe('no')
  expect(sent.providerMessageId).toBe(/^Message-ID: <([^>]*)>/im.exec(mail?.mime ?? '')?.[1])
  expect(await post(server.signed(reportOf('ada@example.com', { event: 'delivered' })))).toBe(200)
  await acme.messageWith(id, 'delivered')
})

it('a bounce for good suppresses the recipient; a report that is not signed changes nothing', async () => {
  const id = await acme.send('gone@example.com')
  await acme.messageWith(id, 'sent')
  const status = { code: 550, message: '5.1.1 no such user' }
  const event = reportOf('gone@example.com', { event: 'failed', severity: 'permanent', 'delivery-status': status })
  const forged = JSON.parse(server.signed(event))
  forged.signature.signature = 'f'.repeat(64)
  expect(await post(JSON.stringify(forged))).toBe(401)
  expect(await post('{}')).toBe(401)
  expect(await post(server.signed(event, Date.now() - 24 * 3_600_000))).toBe(401)
  await acme.messageWith(id, 'sent')
  const body = server.signed(event)
  expect(await post(body)).toBe(200)
  await acme.messageWith(id, 'bounced')
  // Mailgun posts again what it was not answered in time.
  await until(async () => expect(await post(body)).toBe(200))
})

describe('with Amazon SES behind it, while Mailgun is away', () => {
  const idIn = (mime: string): string => /^Message-ID: <([^>]*)>/im.exec(mime)?.[1] ?? ''
  beforeAll(async () => {
    await server.stop()
    // A mail that meets the outage on a kept connection may have left: those after it move.
    let sent = 0
    await until(async () => {
      await acme.send(`probe-${sent++}@example.com`)
      expect(amazon.taken).not.toEqual([])
    })
  })
  /** A mail that SES took, and how SES tells of it. */
  const sent = async (to: string) => {
    const id = await acme.send(to)
    const { providerMessageId } = await acme.messageWith(id, 'sent')
    return { id, mail: { messageId: providerMessageId, destination: [to] } }
  }

  it('mails leave through it, and a report finds its message by the name that SES gave it', async () => {
    const { id, mail } = await sent('eve@example.com')
    expect(String(mail.messageId)).toMatch(/^010201[\da-f]{10}-[\da-f-]{36}-000000$/)
    expect(amazon.taken.find(({ to }) => to === 'eve@example.com')?.configurationSet).toBe('mails')
    expect(await publish(amazon.confirmation())).toBe(200)
    expect(amazon.sns.asked.at(-1)).toMatch(/^\/\?Action=ConfirmSubscription&/)
    const delivery = amazon.notification(JSON.stringify({ eventType: 'Delivery', mail }))
    await until(async () => expect(await publish(delivery)).toBe(200))
    await acme.messageWith(id, 'delivered')
    // SNS posts again what it was not answered in time.
    expect(await publish(delivery)).toBe(200)
  })

  it('a bounce finds it by our id among the headers too; what another account signed, or none, changes nothing', async () => {
    const { id, mail } = await sent('gone-too@example.com')
    const mime = amazon.taken.find(({ to }) => to === 'gone-too@example.com')?.mime ?? ''
    const headers = [{ name: 'Message-ID', value: `<${idIn(mime)}>` }]
    const recipient = { emailAddress: 'gone-too@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 no such user' }
    const bounce = { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients: [recipient] }
    const event = JSON.stringify({ eventType: 'Bounce', mail: { ...mail, messageId: 'another', headers }, bounce })
    expect(await publish(amazon.notification(event, { topic: 'arn:aws:sns:eu-west-1:999999999999:tidings' }))).toBe(401)
    expect(await publish(amazon.notification('{}', { changed: { Message: event } }))).toBe(401)
    expect(await publish('{}')).toBe(401)
    await acme.messageWith(id, 'sent')
    expect(await publish(amazon.notification(event))).toBe(200)
    await acme.messageWith(id, 'bounced')
  })
})
