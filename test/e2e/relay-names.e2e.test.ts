import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { PROVIDER_SECRET, signed } from './support/receipts.ts'
import { startWorld, type World } from './support/world.ts'

let sink: SmtpSink
let world: World
let one: Client
let two: Client
/** What the relay calls the next mail. */
let name = ''
beforeAll(async () => {
  sink = await startSmtpSink()
  sink.answers.data = () => ({ code: 250, message: `2.0.0 Ok: queued as ${name}` })
  world = await startWorld({ TIDINGS_EMAIL_PROVIDER: sink.url, TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET })
  one = await world.workspace('one')
  two = await world.workspace('two')
})
afterAll(async () => {
  await world.stop()
  await sink.stop()
})

const sendAs = async (by: Client, to: string, called: string): Promise<string> => {
  name = called
  const messageId = await by.send(to)
  await by.messageWith(messageId, 'sent')
  return messageId
}
/** Asks again while it is not known which messages have the name, as providers do. */
const report = async (more: object): Promise<unknown> => {
  const body = JSON.stringify([{ type: 'bounced', hard: true, ...more }])
  const headers = { 'Content-Type': 'application/json', 'X-Tidings-Signature': signed(body) }
  for (;;) {
    const answer = await fetch(`${world.url}/api/v1/providers/email/events`, { method: 'POST', headers, body })
    const said: unknown = await answer.json()
    if (answer.status !== 503) return said
  }
}
const statusOf = async (by: Client, id: string): Promise<string> =>
  ((await by.request('GET', `/public/messages/${id}`)).body.data as Readonly<{ status: string }>).status

describe('a report that knows its mail by the name of the relay', () => {
  it('is of no mail where the relay has used the name anew, in another workspace or in the same', async () => {
    const first = await sendAs(one, 'dead@example.com', '4F2A9')
    const second = await sendAs(two, 'alive@example.com', '4F2A9')
    expect(await report({ providerMessageId: '4F2A9' })).toMatchObject({ applied: 0, unknown: 1 })
    const third = await sendAs(two, 'a@example.com', '4F2B1')
    const fourth = await sendAs(two, 'b@example.com', '4F2B1')
    expect(await report({ providerMessageId: '4F2B1' })).toMatchObject({ applied: 0, unknown: 1 })
    expect(await Promise.all([statusOf(one, first), ...[second, third, fourth].map((id) => statusOf(two, id))])).toEqual(
      Array.from({ length: 4 }, () => 'sent'),
    )
    expect((await profilesOf(two).lookup('alive@example.com')).emailSuppressed).toBe(false)
    // Our own id says which it is.
    expect(await report({ messageId: first })).toMatchObject({ applied: 1, unknown: 0 })
    await one.messageWith(first, 'bounced')
  })

  it('is of its mail where the address that it names is the one of the mail', async () => {
    const id = await sendAs(one, 'reader@example.com', '4F2C1')
    for (const to of ['other@example.com', '', '<>', 'reader@example.org'])
      expect(await report({ providerMessageId: '4F2C1', to })).toMatchObject({ applied: 0, unknown: 1 })
    expect(await statusOf(one, id)).toBe('sent')
    expect(await report({ providerMessageId: '4F2C1', to: 'A Reader <Reader@Example.com>' })).toMatchObject({ applied: 1, unknown: 0 })
    await one.messageWith(id, 'bounced')
  })
})
