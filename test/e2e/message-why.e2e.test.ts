import { randomUUID } from 'node:crypto'
import { createCommandRunner } from '@tidings/commands'
import {
  asCampaignId,
  asContactId,
  asMessageId,
  type ContactEvent,
  type ContactId,
  campaign,
  campaignStream,
  contactStream,
  type MessageId,
  type WorkspaceId,
} from '@tidings/domain'
import { positionText } from '@tidings/event-store'
import { explainDelivery, explainMessage, type Fact, type MessageExplained, readConsent, workspacesOfDelivery } from '@tidings/evidence'
import { createProvisioner } from '@tidings/provisioning'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { listsOf } from './support/lists.ts'
import { outboxOf } from './support/outbox.ts'
import { codeIn, lastTo, passcodesOf } from './support/passcodes.ts'
import { newNumber } from './support/texts.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

const file = (receipt: string) => `
credits: 100
smsSenderIds: [{ id: ACME, status: approved }]
frequencyCap: { messages: 1, days: 7 }
templates:
  - { name: receipt, channel: email, subject: "${receipt}", html: "<p>Hi</p>" }
  - { name: offer, channel: email, subject: "Offer", html: "<p><a href='{{unsubscribeUrl}}'>out</a></p>" }
lists: [{ name: VIP, type: static }]
campaigns: [{ name: Sale, channel: email, list: VIP, template: offer, from: hello@why.example }]
flows: [{ name: After order, trigger: { type: custom_event, event: order_placed }, steps: [ { send: { channel: email, template: offer, from: hello@why.example } } ] }]`

let world: World
let receiver: Receiver
let why: Client
let workspaceId: WorkspaceId

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20' })
  why = await world.workspace('why', file('Your first receipt'))
  // The key is shown once; the second file changes the template.
  await world.workspace('why', file('Your receipt'))
  workspaceId = why.applied.workspace.id
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const explained = async (messageId: MessageId, of = workspaceId): Promise<MessageExplained> => {
  const found = await explainMessage(world.stores, { workspaceId: of, messageId })
  if (found === null) throw new Error(`message ${messageId} is not explained`)
  return found
}
const says = ({ facts }: Pick<MessageExplained, 'facts'>): readonly string[] => facts.map((fact) => `${fact.type}: ${fact.says}`)
const person = async (more: object): Promise<string> => dataOf<{ id: string }>(await why.request('POST', '/public/profiles', more), 201).id
const keyOf = () => why.applied.apiKeys[0]?.id ?? ''
const templateOf = (name: string) => why.applied.templates[name] ?? ''
const UNKNOWN = asMessageId('00000000-0000-7000-8000-000000000000')

/** Every fact is an event of the log, at its place and of its time; and they come in the order of the log. */
const expectTrue = async (facts: readonly Fact[]) => {
  const { events } = await world.stores.log.readAll('start', 100_000)
  const logged = new Map(events.map((event) => [positionText(event.position), event]))
  for (const { position, at, type } of facts) {
    const event = logged.get(position)
    expect([position, event?.type, event?.meta.at, event?.meta.workspaceId]).toEqual([position, type, at, workspaceId])
  }
  expect(facts.map(({ position }) => position)).toEqual(facts.map(({ position }) => position).toSorted())
}

describe('why a transactional email went out', () => {
  it('who asked and from where, the template and its version, the sender, consent and suppression, the provider and what followed', async () => {
    const contactId = await person({ email: 'ada@people.example', emailConsent: 'unsubscribed', emailConsentSource: 'till' })
    const body = { contactId, fromEmail: why.fromEmail, templateId: templateOf('receipt') }
    const sent = await why.request('POST', '/public/messages/email', body, { 'X-Request-Id': 'order-7' })
    const { messageId } = dataOf<{ messageId: string }>(sent, 202)
    const { providerMessageId } = await why.messageWith(messageId, 'sent')
    const { id } = await outboxOf(world).of(messageId)
    await outboxOf(world).report(id, { status: 'bounced', reason: 'no such user' })
    const whole = await eventually(
      () => explained(asMessageId(messageId)),
      (now) => says(now).some((line) => line.includes('cleaned')),
    )
    expect(whole.message).toEqual({
      ...{ id: messageId, channel: 'email', status: 'bounced', failureReason: 'hard_bounce', contactId },
      ...{ to: 'ada@people.example', erased: false, waiting: null },
    })
    expect(says(whole)).toEqual([
      'SenderDomainConfigured: at the accept and at the send: sender domain why.example verified, on no blocklist',
      'SenderAddressConfigured: at the accept and at the send: sender address hello@why.example verified',
      `TemplateContentChanged: at the accept: template "receipt" ${templateOf('receipt')}, version 2`,
      'ContactCreated: at the accept and at the send: not suppressed for email',
      `ContactConsentRecorded: at the accept and at the send: email consent unsubscribed, source till, by api_key:${keyOf()}`,
      `EmailAccepted: accepted transactional email to ada@people.example from hello@why.example; asked by API key "test" ${keyOf()}, request order-7, from 127.0.0.1`,
      'MessageSent: nothing blocked it: suppression, sender',
      `MessageSent: sent: outbox took it as ${providerMessageId}`,
      'MessageBounced: bounced, for good (hard_bounce): no such user',
      'ContactSuppressed: it followed: suppressed for email (hard_bounce)',
      'ContactConsentRecorded: it followed: email consent unsubscribed > cleaned, source hard_bounce',
    ])
    await expectTrue(whole.facts)
  })

  it('of a mail whose version of its template the log does not have, the template alone', async () => {
    const contactId = await person({ email: 'lin@people.example', emailConsent: 'unsubscribed', emailConsentSource: 'till' })
    const messageId = asMessageId(crypto.randomUUID())
    const context = { commandId: messageId, workspaceId, actor: `key:${keyOf()}`, requestId: 'r', at: new Date().toISOString() }
    const sender = { fromEmail: why.fromEmail, fromName: null, replyTo: null }
    const merged = { subject: 'Hi', html: ['<p>Hi</p>'], text: null }
    const of = { content: null, contentId: null, templateId: templateOf('receipt'), templateDigest: 'of no version', merged }
    const data = { messageId, contactId, channel: 'email', to: 'lin@people.example', ...sender, ...of, kind: 'marketing' }
    await world.stores.log.append(`message-${workspaceId}-${messageId}`, 'no_stream', [{ type: 'EmailAccepted', data }], context)
    const whole = await eventually(
      () => explained(messageId),
      ({ message }) => message.status !== 'queued',
    )
    expect(says(whole).filter((line) => line.startsWith('Template'))).toEqual([
      `TemplateCreated: at the accept: template "receipt" ${templateOf('receipt')}, a version that the log does not have`,
    ])
  })

  it('what changed between the accept and the send is said of both moments', async () => {
    const contactId = await person({ email: 'eve@people.example', emailConsent: 'subscribed' })
    await world.operate(workspaceId, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    const messageId = asMessageId(crypto.randomUUID())
    const at = new Date().toISOString()
    const context = { commandId: messageId, workspaceId, actor: `key:${keyOf()}`, requestId: 'r', at }
    const data = {
      messageId,
      contactId,
      channel: 'email',
      to: 'eve@people.example',
      fromEmail: why.fromEmail,
      fromName: null,
      replyTo: null,
    }
    const content = { subject: 'Hi', html: '<p>Hi</p>', text: null }
    const accepted = { type: 'EmailAccepted', data: { ...data, content, contentId: null, templateId: null, kind: 'transactional' } }
    await world.stores.log.append(`message-${workspaceId}-${messageId}`, 'no_stream', [accepted], context)
    const waits = await eventually(
      () => explained(messageId),
      ({ message }) => message.waiting?.deferredFor === 'workspace_suspended',
    )
    const waiting = { attempts: 0, deferredBy: null, reason: 'the workspace is suspended', deadLetter: null }
    expect(waits.message).toMatchObject({ status: 'queued', waiting })
    expect(says(waits)).toContain('ContactCreated: at the accept and now: not suppressed for email')
    const suppressed = { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'global_blocklist' } }
    await world.stores.log.append(`contact-${workspaceId}-${contactId}`, 'any', [suppressed], {
      ...context,
      commandId: 'block',
      actor: 'operator',
    })
    await world.operate(workspaceId, { type: 'ChangeWorkspaceStatus', data: { status: 'active' } })
    await why.messageWith(messageId, 'suppressed')
    const whole = await explained(messageId)
    expect(says(whole)).toEqual(
      expect.arrayContaining([
        'ContactCreated: at the accept: not suppressed for email',
        'ContactSuppressed: when it was not sent: suppressed for email: global_blocklist',
        'MessageSuppressed: not sent, because the recipient is suppressed (global_blocklist)',
      ]),
    )
    expect(whole.message).toMatchObject({ status: 'suppressed', waiting: null })
    await expectTrue(whole.facts)
  })
})

describe('why a text message went out', () => {
  it('its sender ID, its credits, and the webhooks about it, with their tries', async () => {
    receiver.reply((_, nth) => (nth === 1 ? 500 : 200))
    await why.request('POST', '/public/webhooks', { url: `${receiver.url}/sms`, events: ['sms.delivered'] })
    const body = { to: newNumber(), senderId: 'ACME', body: 'Ready' }
    const { messageId } = dataOf<{ messageId: string }>(await why.request('POST', '/public/messages/sms', body), 202)
    await why.messageWith(messageId, 'sent')
    await outboxOf(world).report((await outboxOf(world).of(messageId)).id, { status: 'delivered' })
    const [received] = await receiver.wait('/sms', 2)
    const whole = await eventually(
      () => explained(asMessageId(messageId)),
      (now) => says(now).some((line) => line.endsWith(', delivered')) && says(now).some((line) => line.includes('spent')),
    )
    expect(says(whole)).toEqual(
      expect.arrayContaining([
        'SmsSenderIdApproved: at the accept and at the send: sender ID ACME approved',
        expect.stringMatching(
          /^SmsAccepted: accepted transactional sms to \+97250\d+ from ACME for 1 credits; asked by API key "test" .*, from 127\.0\.0\.1$/,
        ),
        'CreditsHeld: 1 credit held for it',
        'MessageSent: nothing blocked it: suppression, sender, credits',
        'CreditsSettled: 1 credit spent on it',
        'MessageDelivered: delivered, says the provider',
        expect.stringMatching(
          new RegExp(
            `^MessageDelivered: webhook sms\\.delivered to ${receiver.url}/sms, delivery ${received?.deliveryId}: try 1 at \\S+: 500 after \\d+ ms, retrying; try 2 at \\S+: 200 after \\d+ ms, delivered$`,
          ),
        ),
      ]),
    )
    await expectTrue(whole.facts)
    const deliveryId = received?.deliveryId ?? ''
    expect(await workspacesOfDelivery(world.stores, deliveryId)).toEqual([workspaceId])
    const explanation = await explainDelivery(world.stores, { workspaceId, deliveryId })
    expect(explanation?.delivery).toMatchObject({
      ...{ id: deliveryId, event: 'sms.delivered', url: `${receiver.url}/sms`, status: 'delivered', because: null, nextAt: null },
      tries: [
        { attempt: 1, outcome: 'retrying', status: 500, error: null },
        { attempt: 2, outcome: 'delivered', status: 200, error: null },
      ],
    })
    const contactId = whole.message.contactId
    expect(explanation && says(explanation)[1]).toBe(
      `MessageDelivered: fired sms.delivered, about message ${messageId} and contact ${contactId}`,
    )
    await expectTrue(explanation?.facts ?? [])
  })

  it('a passcode is explained without its code', async () => {
    const phone = newNumber()
    await passcodesOf(why).send(phone)
    const { messageId, body } = await lastTo(world, 'sms', phone)
    const whole = await eventually(
      () => explained(asMessageId(messageId)),
      (now) => says(now).some((line) => line.includes('spent')),
    )
    expect(says(whole)).toEqual([
      expect.stringMatching(/^SmsSenderIdApproved: /),
      'CreditsHeld: 1 credit held for it',
      expect.stringMatching(
        /^PasscodeAccepted: accepted a passcode by sms to \+97250\d+ from ACME for 1 credits; asked by API key "test" .*, from 127\.0\.0\.1$/,
      ),
      'MessageSent: nothing blocked it: sender, credits',
      expect.stringMatching(/^MessageSent: sent: outbox took it as /),
      'CreditsSettled: 1 credit spent on it',
    ])
    expect(whole.message).toMatchObject({ contactId: null, to: phone })
    // Six digits may stand inside an id by chance.
    expect(JSON.stringify(whole)).not.toMatch(new RegExp(`(?<![\\w-])${codeIn(body)}(?![\\w-])`))
    await expectTrue(whole.facts)
  })
})

describe('why marketing went out, or did not', () => {
  const messageOf = async (contactId: string): Promise<string> => {
    const ids = async () =>
      (await world.stores.pool.query<{ id: string }>('select id from read.messages where contact_id = $1 order by queued_at', [contactId]))
        .rows
    return (await eventually(ids, (rows) => rows.length > 0)).at(-1)?.id ?? ''
  }

  it('the campaign, the list that the contact was on, and the rules of the workspace', async () => {
    const contactId = await person({ email: 'fan@people.example', emailConsent: 'subscribed' })
    await listsOf(why).add(listsOf(why).id('VIP'), { contactIds: [contactId] })
    const id = asCampaignId(why.applied.campaigns.Sale ?? '')
    const provisioner = createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }))
    await provisioner.execute(workspaceId, campaign, campaignStream(workspaceId, id), {
      type: 'MoveCampaign',
      data: { campaignId: id, move: 'start', at: null, now: new Date().toISOString() },
    })
    const messageId = asMessageId(await messageOf(contactId))
    await why.messageWith(messageId, 'sent')
    const whole = await explained(messageId)
    expect(says(whole)).toEqual(
      expect.arrayContaining([
        'MarketingRulesChanged: at the accept and at the send: no quiet hours; at most 1 marketing messages in 7 days',
        `ContactAddedToList: at the start of the campaign: a member of list "VIP" ${listsOf(why).id('VIP')}, by request`,
        `CampaignStarted: campaign "Sale" ${id}: started; this is variant 1 of 1`,
        expect.stringMatching(
          new RegExp(`^EmailAccepted: accepted marketing email to fan@people.example .*asked by campaign:${id}, request \\S+$`),
        ),
        'MessageSent: nothing blocked it: suppression, consent, frequency cap, quiet hours, sender',
      ]),
    )
    await expectTrue(whole.facts)
  })

  it('the flow, the event that let the contact in, and why the message was not sent', async () => {
    const contactId = await person({ email: 'shy@people.example' })
    await why.request('POST', '/events/ingest', { event: 'order_placed', contactId })
    const messageId = asMessageId(await messageOf(contactId))
    await why.messageWith(messageId, 'skipped')
    const flow = `flow "After order" ${why.applied.flows['After order']}`
    const whole = await eventually(
      () => explained(messageId),
      (now) => says(now).some((line) => line.startsWith('FlowMessageResolved')),
    )
    expect(says(whole)).toEqual(
      expect.arrayContaining([
        `FlowDefined: ${flow}, version 1`,
        `ContactEnteredFlow: ${flow}: entered by ActivityRecorded`,
        'ContactCreated: at the accept and when it was not sent: email consent never_subscribed, nothing was said',
        `FlowMessageQueued: ${flow}: queued the message ${messageId}`,
        'MessageSkipped: not sent (no_consent): marketing goes only to those who subscribed',
        `FlowMessageResolved: ${flow}: the message was skipped (no_consent)`,
      ]),
    )
    await expectTrue(whole.facts)
  })
})

describe('what is kept back', () => {
  const erasures: Readonly<Record<string, (contactId: ContactId) => Promise<unknown>>> = {
    'has no key any more': (contactId) => world.stores.keyRing.shred(workspaceId, `contact:${contactId}`),
    'is about to be erased': (contactId) => {
      const context = { commandId: randomUUID(), workspaceId, actor: 'operator', requestId: 'r', at: new Date().toISOString() }
      const requested: ContactEvent = { type: 'ContactErasureRequested', data: { contactId } }
      return world.stores.log.append(contactStream(workspaceId, contactId), 'any', [requested], context)
    },
  }

  it.each(Object.entries(erasures))('anything personal once the recipient %s', async (state, erase) => {
    const email = `${state.replaceAll(' ', '.')}@people.example`
    const contactId = asContactId(await person({ email, firstName: 'Zanzibar' }))
    const messageId = asMessageId(await why.send(email))
    await why.messageWith(messageId, 'sent')
    await outboxOf(world).report((await outboxOf(world).of(messageId)).id, { status: 'bounced', reason: `${email} is unknown` })
    await why.messageWith(messageId, 'bounced')
    expect(JSON.stringify(await explained(messageId))).toContain(email)
    await erase(contactId)
    expect(await readConsent(world.stores.log, { workspaceId, contactId, at: null })).toBeNull()
    const whole = await explained(messageId)
    expect(whole.message).toMatchObject({ status: 'bounced', contactId, to: null, erased: true })
    expect(says(whole)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^EmailAccepted: accepted transactional email; asked by API key "test" \S+, request \S+$/),
        'MessageBounced: bounced, for good (hard_bounce)',
      ]),
    )
    for (const secret of [email, 'Zanzibar', 'from 127']) expect(JSON.stringify(whole)).not.toContain(secret)
  })

  it('a message or a delivery of another workspace, and one that never was', async () => {
    const other = await world.workspace('nosy')
    const messageId = asMessageId(await why.send('ada2@people.example'))
    const of = other.applied.workspace.id
    expect(await explainMessage(world.stores, { workspaceId: of, messageId })).toBeNull()
    expect(await explainMessage(world.stores, { workspaceId, messageId: UNKNOWN })).toBeNull()
    const [kept] = (
      await world.stores.pool.query<{ delivery_id: string }>('select delivery_id from webhooks.attempt where workspace_id = $1', [
        workspaceId,
      ])
    ).rows
    expect(await explainDelivery(world.stores, { workspaceId: of, deliveryId: kept?.delivery_id ?? '' })).toBeNull()
    expect(await explainDelivery(world.stores, { workspaceId, deliveryId: UNKNOWN })).toBeNull()
  })
})
