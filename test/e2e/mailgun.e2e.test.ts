import { until } from '@tidings/testing'
import { type MailgunServer, startMailgunServer } from '@tidings/testing/mailgun-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let server: MailgunServer
let world: World
let acme: Client
beforeAll(async () => {
  server = await startMailgunServer()
  world = await startWorld({ TIDINGS_EMAIL_PROVIDER: server.url })
  acme = await world.workspace('acme')
})
afterAll(async () => {
  await world?.stop()
  await server?.stop()
})

const post = async (body: string): Promise<number> => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${world.url}/api/v1/providers/email/mailgun`, { method: 'POST', headers, body })
  await answer.body?.cancel()
  return answer.status
}
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
