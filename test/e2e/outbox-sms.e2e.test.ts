import { randomUUID } from 'node:crypto'
import { asMessageId, asVerificationId } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { outboxOf } from './support/outbox.ts'
import { newNumber, texting, textsOf } from './support/texts.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let outbox: ReturnType<typeof outboxOf>
beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('outbox-sms', texting)
  outbox = outboxOf(world)
})
afterAll(() => world.stop())

const textInOutbox = async () => {
  const { messageId } = await textsOf(world, acme).accept(newNumber())
  await acme.messageWith(messageId, 'sent')
  return { messageId, id: (await outbox.of(messageId)).id }
}
/** A call with a passcode, as the outbox keeps it. */
const callInOutbox = async () => {
  const [id, messageId, phone] = [randomUUID(), asMessageId(randomUUID()), newNumber()]
  const { workspaceId, decide } = textsOf(world, acme)
  const call = {
    messageId,
    channel: 'voice',
    verificationId: asVerificationId('v'),
    to: phone,
    from: 'ACME',
    credits: 1,
    segments: 1,
  } as const
  await decide(messageId, { type: 'AcceptPasscode', data: call })
  await world.stores.pool.query(
    `insert into outbox.message (id, workspace_id, channel, recipient, sender, body, message_id) values ($1, $2, 'voice', $3, 'ACME', 'Hi', $4)`,
    [id, workspaceId, phone, messageId],
  )
  return { id, messageId }
}
const inOutbox = { sms: textInOutbox, voice: callInOutbox }

describe('a report of the development outbox', () => {
  it.each(['sms', 'voice'] as const)('delivers a message of %s, or fails it with its reason', async (channel) => {
    const [one, other, third] = [await inOutbox[channel](), await inOutbox[channel](), await inOutbox[channel]()]
    expect(await outbox.report(one.id, { status: 'delivered' })).toMatchObject({ status: 200, body: { outcome: 'applied' } })
    await acme.messageWith(one.messageId, 'delivered')
    await outbox.report(other.id, { status: 'failed', reason: 'expired' })
    expect(await acme.messageWith(other.messageId, 'failed')).toMatchObject({ failureReason: 'expired' })
    await outbox.report(third.id, { status: 'failed', reason: 'the phone is off' })
    expect(await acme.messageWith(third.messageId, 'failed')).toMatchObject({ failureReason: 'undeliverable' })
  })

  it('cannot bounce a text message', async () => {
    const { id } = await textInOutbox()
    for (const status of ['bounced', 'complained']) expect(await outbox.report(id, { status })).toMatchObject({ status: 400 })
  })
})
