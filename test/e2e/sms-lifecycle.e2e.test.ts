import { createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  message,
  messageStream,
  senderIds,
  senderIdsStream,
  type WorkspaceId,
  wallet,
  walletStream,
} from '@tidings/domain'
import { createProvisioner } from '@tidings/provisioning'
import { PATIENT_MS } from '@tidings/testing'
import { createWallets, readStatement, verifyWallet } from '@tidings/wallet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20' })
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const workspace = async (slug: string, credits: number): Promise<Client> => {
  const file = `workspace: { slug: ${slug}, name: Text }
apiKeys: [{ name: test }]
credits: ${credits}
smsSenderIds: [{ id: Acme, status: approved }]`
  return clientOf({ url: world.url, applied: await world.apply(file), shown: world.settle })
}

type Body = Readonly<Record<string, unknown>>
const ask = (client: Client, body: Body) => client.request('POST', '/public/messages/sms', { senderId: 'acme', body: 'Hi', ...body })
const send = async (client: Client, body: Body): Promise<string> => dataOf<{ messageId: string }>(await ask(client, body), 202).messageId
const idOf = ({ applied }: Client): WorkspaceId => applied.workspace.id

/** The wallet, recomputed from the log, once nothing is held any more. */
const walletOf = (client: Client) =>
  eventually(
    () => verifyWallet(world.stores.log, idOf(client)),
    ({ held }) => held === 0,
  )
const paidFor = async (client: Client, messageId: string): Promise<readonly number[]> => {
  const amounts: number[] = []
  for await (const entry of readStatement(world.stores.log, idOf(client)))
    if (entry.messageId === messageId && entry.entry === 'settle') amounts.push(entry.amount)
  return amounts
}
const report = async (messageId: string, body: Body) => {
  const { id } = await outboxOf(world).of(messageId)
  return await outboxOf(world).report(id, body)
}

describe('a text message', () => {
  let texting: Client
  let hook: string
  beforeAll(async () => {
    texting = await workspace('sms-life', 100)
    hook = '/sms-life'
    const made = await texting.request('POST', '/public/webhooks', {
      url: `${receiver.url}${hook}`,
      events: ['sms.delivered', 'sms.failed'],
    })
    dataOf(made, 201)
  })

  it('is sent, paid once, delivered, and webhooks say so', async () => {
    const messageId = await send(texting, { to: '+972501230001', body: 'ש'.repeat(135) })
    expect(await texting.messageWith(messageId, 'sent')).toMatchObject({ channel: 'sms', failureReason: null, deliveredAt: null })
    const [shown] = (await outboxOf(world).list('?channel=sms&to=%2B972501230001')) as readonly object[]
    expect(shown).toMatchObject({ channel: 'sms', to: '+972501230001', from: 'Acme', body: 'ש'.repeat(135), messageId })
    // A receipt that comes twice is one.
    expect(await report(messageId, { status: 'delivered' })).toMatchObject({ status: 200 })
    expect(await report(messageId, { status: 'delivered' })).toMatchObject({ status: 200 })
    expect(await texting.messageWith(messageId, 'delivered')).toMatchObject({ status: 'delivered' })
    const received = await receiver.wait(hook, 1)
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({ event: 'sms.delivered', data: { messageId, contactId: expect.any(String), channel: 'sms' } })
    expect(await walletOf(texting)).toMatchObject({ ok: true, held: 0, balance: 98 })
    expect(await paidFor(texting, messageId)).toEqual([2])
  })

  it('that the network reports as failed is failed, and stays paid: the provider took it', async () => {
    const before = receiver.at(hook).length
    const messageId = await send(texting, { to: '+972501230002' })
    await texting.messageWith(messageId, 'sent')
    await report(messageId, { status: 'failed', reason: 'absent subscriber' })
    expect(await texting.messageWith(messageId, 'failed')).toMatchObject({ failureReason: 'undeliverable' })
    // Reports come out of order: those after the end change nothing.
    await report(messageId, { status: 'delivered' })
    expect(await texting.messageWith(messageId, 'failed', 'delivered')).toMatchObject({ status: 'failed' })
    const received = await receiver.wait(hook, before + 1)
    expect(received.slice(before)).toMatchObject([{ event: 'sms.failed', data: { messageId } }])
    await walletOf(texting)
    expect(await paidFor(texting, messageId)).toEqual([1])
  })

  it('to a number that is blacklisted is suppressed, and costs nothing', async () => {
    const { id } = await profilesOf(texting).create({ phone: '+972501230003' })
    await profilesOf(texting).blacklist({ contactId: id, channel: 'sms' })
    const messageId = await send(texting, { contactId: id })
    expect(await texting.messageWith(messageId, 'suppressed', 'sent')).toMatchObject({ failureReason: 'global_blocklist' })
    await walletOf(texting)
    expect(await paidFor(texting, messageId)).toEqual([])
  })
})

it('a wallet that runs dry between the requests and the sends skips what it cannot pay, and never goes below zero', async () => {
  const poor = await workspace('sms-poor', 5)
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(poor, { to: `+9725012310${10 + n}` })))
  const accepted = answers.filter(({ status }) => status === 202)
  for (const answer of answers) if (answer.status !== 202) expect(outcome(answer)).toEqual(coded(403, 'insufficient_credits'))
  const ends = await Promise.all(
    accepted.map(async (answer) => poor.messageWith(dataOf<{ messageId: string }>(answer, 202).messageId, 'sent', 'skipped')),
  )
  expect(ends.filter(({ status }) => status === 'sent')).toHaveLength(5)
  for (const { status, failureReason } of ends) if (status === 'skipped') expect(failureReason).toBe('insufficient_credits')
  expect(await walletOf(poor)).toMatchObject({ ok: true, balance: 0, held: 0 })
  expect(outcome(await ask(poor, { to: '+972501231050' }))).toEqual(coded(403, 'insufficient_credits'))
  // This wallet is low, and nothing of it is held.
  const low = await eventually(
    async () => /^tidings_wallet_low (\d+)$/m.exec(await (await fetch(`${world.url}/metrics`)).text())?.[1] ?? '0',
    (wallets) => Number(wallets) > 0,
  )
  expect(Number(low)).toBeGreaterThan(0)
})

it('what is held for messages on their way can be promised to no other', async () => {
  const held = await workspace('sms-held', 3)
  const wallets = createWallets({ commands: createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }) })
  const [messageId, holder] = [crypto.randomUUID(), 'elsewhere']
  await wallets.hold({ workspaceId: idOf(held), holder, messages: [{ messageId: asMessageId(messageId), amount: 3 }] })
  await eventually(
    async () => outcome(await ask(held, { contactId: crypto.randomUUID() })).code ?? 'none',
    (code) => code === 'insufficient_credits',
  )
  await wallets.release({ workspaceId: idOf(held), holds: [{ messageId: asMessageId(messageId), holder }] })
  // A refusal is decided on what the log says now.
  const id = await send(held, { to: '+972501232001' })
  expect(await held.messageWith(id, 'sent')).toMatchObject({ status: 'sent' })
})

it('credits that are added count at once', async () => {
  const dry = await workspace('sms-dry', 0)
  expect(outcome(await ask(dry, { to: '+972501233001' }))).toEqual(coded(403, 'insufficient_credits'))
  const provisioner = createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }))
  const command = { type: 'AddCredits', data: { commandId: crypto.randomUUID(), amount: 1, note: null } } as const
  await provisioner.execute(idOf(dry), wallet, walletStream(idOf(dry)), command)
  const id = await send(dry, { to: '+972501233001' })
  expect(await dry.messageWith(id, 'sent', 'skipped')).toMatchObject({ status: 'sent' })
})

it('a sender ID that is revoked while its messages wait fails them, without a credit', async () => {
  const revoked = await workspace('sms-revoked', 10)
  const workspaceId = idOf(revoked)
  const contactId = asContactId((await profilesOf(revoked).create({ phone: '+972501234000' })).id)
  const provisioner = createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }))
  const decide = (type: 'DeactivateSenderId' | 'ApproveSenderId') =>
    provisioner.execute(workspaceId, senderIds, senderIdsStream(workspaceId), { type, data: { senderId: 'Acme' } })
  await decide('DeactivateSenderId')
  // A process that has not heard of the revocation yet accepts it like this.
  const messageId = asMessageId(crypto.randomUUID())
  const data = { messageId, contactId, to: '+972501234000', from: 'Acme', body: 'Hi', credits: 1, segments: 1, templateId: null } as const
  const command = { type: 'AcceptSms', data: { ...data, kind: 'transactional' } } as const
  await provisioner.execute(workspaceId, message, messageStream(workspaceId, messageId), command)
  expect(await revoked.messageWith(messageId, 'failed', 'sent')).toMatchObject({ failureReason: 'sender_id_not_approved', sentAt: null })
  const refused = await eventually(
    () => ask(revoked, { contactId }),
    ({ status }) => status === 400,
  )
  expect(outcome(refused)).toEqual(coded(400, 'sender_id_not_approved'))
  await decide('ApproveSenderId')
  const again = await eventually(
    () => ask(revoked, { contactId }),
    ({ status }) => status === 202,
  )
  await revoked.messageWith(dataOf<{ messageId: string }>(again, 202).messageId, 'sent')
  expect(await walletOf(revoked)).toMatchObject({ ok: true, held: 0 })
  expect(await paidFor(revoked, messageId)).toEqual([])
})
