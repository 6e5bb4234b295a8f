import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
})
afterAll(() => world.stop())

it('an email to somebody new makes a profile, is delivered to the outbox, and its status says sent', async () => {
  const messageId = await acme.send(' Ada@Example.com ')
  const record = await acme.messageWith(messageId, 'sent')
  expect(record).toMatchObject({ id: messageId, channel: 'email', failureReason: null })

  const outbox = await (await fetch(`${world.url}/dev/outbox?to=ada@example.com`)).json()
  expect(outbox).toMatchObject({ items: [{ to: 'ada@example.com', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi', messageId }] })

  const { body } = await acme.request('GET', '/public/profiles/lookup?email=ADA@example.com')
  expect(body.data).toMatchObject({ email: 'ada@example.com', emailConsent: 'never_subscribed' })
})
