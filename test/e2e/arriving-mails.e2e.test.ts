import type { MessageRecord } from '@tidings/contracts'
import { asMessageId } from '@tidings/domain'
import { explainMessage } from '@tidings/evidence'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ARRIVING } from './support/arriving-mails.ts'
import type { Client } from './support/client.ts'
import { PROVIDER_SECRET, signed } from './support/receipts.ts'
import { startWorld, type World } from './support/world.ts'

const templates = ARRIVING.map(({ name, html }) => ({ name, channel: 'email', subject: name, html }))

let sink: SmtpSink
let world: World
let acme: Client
let taken = 0
beforeAll(async () => {
  sink = await startSmtpSink()
  sink.answers.data = () => ({ code: 250, message: `2.0.0 Ok: queued as 4F2A${taken++}` })
  world = await startWorld({ TIDINGS_EMAIL_PROVIDER: sink.url, TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET })
  acme = await world.workspace('acme', `templates: ${JSON.stringify(templates)}`)
})
afterAll(async () => {
  await world.stop()
  await sink.stop()
})

const arrived = async (to: string) => {
  const mail = sink.mails.find((one) => one.to.includes(to))
  return await PostalMime.parse(mail?.raw ?? '')
}
const send = async (n: number): Promise<string> => {
  const mail = ARRIVING[n]
  const to = `reader${n}@example.com`
  const templateId = acme.applied.templates[mail?.name ?? '']
  const body = { to, fromEmail: acme.fromEmail, contentMode: 'template', templateId, templateFields: mail?.fields ?? {} }
  const answer = await acme.request('POST', '/public/messages/email', body)
  expect([answer.status, answer.body.message]).toEqual([202, undefined])
  const { messageId } = answer.body.data as { messageId: string }
  await acme.messageWith(messageId, 'sent')
  return messageId
}

describe('a mail that arrives', () => {
  it.each(ARRIVING.map(({ name, text }, n) => [name, text, n] as const))('with %s says the same in its text', async (_, text, n) => {
    await send(n)
    const mail = await arrived(`reader${n}@example.com`)
    expect(mail.text?.trimEnd()).toBe(text)
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  })
})

it('a message has the name that the relay gave it, message why its words, and a receipt of that name finds it', async () => {
  const messageId = asMessageId(await send(0))
  const record = (await acme.request('GET', `/public/messages/${messageId}`)).body.data as MessageRecord
  expect(record.providerMessageId).toMatch(/^4F2A\d+$/)
  const why = await explainMessage(world.stores, { workspaceId: acme.applied.workspace.id, messageId })
  expect(why?.facts.map(({ says }) => says)).toContain(
    `sent: ${new URL(sink.url).host} took it as ${record.providerMessageId}: 250 2.0.0 Ok: queued as ${record.providerMessageId}`,
  )
  const body = JSON.stringify([
    { type: 'delivered', providerMessageId: record.providerMessageId },
    { type: 'delivered', providerMessageId: '4F2B' },
  ])
  const headers = { 'Content-Type': 'application/json', 'X-Tidings-Signature': signed(body) }
  const response = await fetch(`${world.url}/api/v1/providers/email/events`, { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ applied: 1, unknown: 1 })
  await acme.messageWith(messageId, 'delivered')
})
