import type { MessageRecord } from '@tidings/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { PROVIDER_SECRET, signed } from './support/receipts.ts'
import { eventsOfWorkspace } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

let world: World
let hooli: Client
let profiles: ReturnType<typeof profilesOf>

beforeAll(async () => {
  world = await startWorld({ TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET })
  hooli = await world.workspace('hooli')
  profiles = profilesOf(hooli)
})
afterAll(() => world.stop())

const record = async (id: string): Promise<MessageRecord> => (await hooli.request('GET', `/public/messages/${id}`)).body.data

const sent = async (to: string) => {
  const messageId = await hooli.send(to)
  await hooli.messageWith(messageId, 'sent')
  return { messageId, contactId: (await profiles.lookup(to)).id }
}

const written = () => eventsOfWorkspace(world.stores.store, hooli.applied.workspace.id)

const receipts = async (events: unknown, signature?: string | null) => {
  const body = typeof events === 'string' ? events : JSON.stringify(events)
  const header = signature === undefined ? signed(body) : signature
  const response = await fetch(`${world.url}/api/v1/providers/email/events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(header !== null && { 'X-Tidings-Signature': header }) },
    body,
  })
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
}

describe('signed receipts', () => {
  it('move what they name, by our id or the provider’s, and count the rest', async () => {
    const [one, two] = [await sent('one@receipts.example'), await sent('two@receipts.example')]
    const { providerMessageId } = await record(two.messageId)
    const answer = await receipts([
      { type: 'delivered', messageId: one.messageId.toUpperCase(), at: '2026-01-01T00:00:00.000Z' },
      { type: 'bounced', providerMessageId, hard: false, at: '2026-01-01T00:00:00.000Z', eventId: 'their own' },
      { type: 'delivered', messageId: UNKNOWN },
      { type: 'delivered', providerMessageId: 'somebody else’s' },
    ])
    expect(answer).toMatchObject({ status: 200, body: { applied: 2, repeated: 0, unknown: 2 } })
    await hooli.messageWith(one.messageId, 'delivered')
    expect(await hooli.messageWith(two.messageId, 'bounced')).toMatchObject({ failureReason: 'soft_bounce' })
    const profile = await profiles.getWhen(one.contactId, ({ emailValidationState }) => emailValidationState === 'valid')
    expect(profile.emailSuppressed).toBe(false)
    expect(await profiles.get(two.contactId)).toMatchObject({ emailSuppressed: false, emailConsent: 'never_subscribed' })
  })

  it('of a bounce that does not say so are hard, and twice is once', async () => {
    const { messageId, contactId } = await sent('hard@receipts.example')
    const event = { type: 'bounced', messageId }
    expect((await receipts([event, event])).body).toMatchObject({ applied: 2, repeated: 0 })
    expect((await receipts([event])).body).toMatchObject({ applied: 0, repeated: 1 })
    expect(await hooli.messageWith(messageId, 'bounced')).toMatchObject({ failureReason: 'hard_bounce' })
    await profiles.getWhen(contactId, ({ emailConsent }) => emailConsent === 'cleaned')
    expect(await profiles.get(contactId)).toMatchObject({ emailSuppressed: true, emailValidationState: 'unknown' })
  })

  it('without the right signature are 401 and change nothing', async () => {
    const { messageId } = await sent('unsigned@receipts.example')
    const before = await written()
    const body = JSON.stringify([{ type: 'delivered', messageId }])
    for (const signature of [
      null,
      '',
      'sha256=',
      signed(body, 'other'),
      signed(`${body} `),
      signed(body).toUpperCase(),
      signed(body).slice(7),
    ]) {
      expect(await receipts(body, signature)).toEqual({ status: 401, body: { success: false, message: 'Invalid signature' } })
    }
    expect(await written()).toEqual(before)
    expect(await record(messageId)).toMatchObject({ status: 'sent' })
  })

  it.each([
    [{}, 'The body must be an array of events'],
    [[{ type: 'opened', messageId: UNKNOWN }], 'events[0].type must be one of the following values: delivered, bounced, complained'],
    [[{ type: 'delivered' }], 'events[0] must have a providerMessageId or a messageId'],
    [[{ type: 'delivered', messageId: 'x' }], 'events[0].messageId must be a UUID'],
    [[{ type: 'delivered', messageId: UNKNOWN }, null], 'events[1] must be an object'],
    [[{ type: 'bounced', messageId: UNKNOWN, hard: 'yes' }], 'events[0].hard must be a boolean value'],
    [[{ type: 'bounced', messageId: UNKNOWN, reason: '\u0000' }], 'Request contains invalid characters'],
  ])('that are none are 400: %j', async (events, message) => {
    expect(await receipts(events)).toEqual({ status: 400, body: { success: false, message } })
  })
})
