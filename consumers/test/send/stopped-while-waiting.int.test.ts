import {
  asContactId,
  asListId,
  asMessageId,
  asTemplateId,
  type CampaignId,
  type ContactId,
  contactStream,
  type FlowId,
  type MessageId,
  messageStream,
  workspaceStream,
} from '@tidings/domain'
import { createSmsProvider } from '@tidings/providers'
import { until } from '@tidings/testing'
import { startSmsc } from '@tidings/testing/smsc'
import { startTwilioServer } from '@tidings/testing/twilio-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { flowActor } from '../../src/flows/flow-actor.ts'
import { campaignRig } from '../testing/campaign-rig.ts'
import { flowRig } from '../testing/flow-rig.ts'
import { provider as push, registerAt, service, startPush } from '../testing/push-rig.ts'
import { quietNow } from '../testing/quiet-now.ts'
import { type Consuming, FROM, WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'
import { createSmsRig, SENDER } from '../testing/sms-rig.ts'

const MESSAGES = 12
/** Places of the provider, which answers nothing before the test lets it: the last is for passcodes or another workspace, the last two not for marketing. */
const SLOTS = 4
const slotsFor = (of: MessageOrigin): number => (of === 'transactional' ? SLOTS - 1 : SLOTS - 2)

const happened = (stream: string, type: string, data: unknown, actor = 'test') => {
  const commandId = crypto.randomUUID()
  const context = { commandId, workspaceId: WORKSPACE, actor, requestId: 'req-1', at: new Date().toISOString() }
  return rig.log.append(stream, 'any', [{ type, data }], context)
}
const ofWorkspace = (type: string, data: unknown) => happened(workspaceStream(WORKSPACE), type, data)

type Channel = 'email' | 'sms' | 'push'
type MessageOrigin = 'transactional' | 'campaign' | 'flow'
type Contacts = readonly string[]

let flowId: FlowId
let campaignId: CampaignId
let gate: PromiseWithResolvers<void>
let running: Consuming
let stopServer: () => Promise<void>
setUpSending()
beforeEach(async () => {
  gate = Promise.withResolvers()
  stopServer = async () => undefined
  const sms = createSmsRig(rig)
  await sms.decideSender({ type: 'ConfigureSenderId', data: { senderId: SENDER, status: 'approved' } })
  await sms.addCredits(100)
  flowId = await flowRig(rig).configure({ trigger: { type: 'contact_created' }, steps: [] })
  const campaigns = campaignRig(rig, db.pool)
  const senderAddressId = await campaigns.senderAddressId()
  campaignId = await campaigns.campaign({
    listId: asListId(crypto.randomUUID()),
    templateId: asTemplateId(crypto.randomUUID()),
    senderAddressId,
  })
  await campaigns.move(campaignId, 'start')
})
afterEach(async () => {
  gate.resolve()
  await running.stop()
  await stopServer()
})

const numberOf = (n: number): string => `+9725412345${String(n).padStart(2, '0')}`

const contactsOf = async (channel: Channel): Promise<Contacts> =>
  await Promise.all(
    Array.from({ length: MESSAGES }, async (_, n) => {
      const email = `p${n}@example.com`
      const contactId = await flowRig(rig).contact(email)
      const consent = {
        contactId,
        channel,
        from: 'never_subscribed',
        to: 'subscribed',
        source: 'test',
        ip: null,
        userAgent: null,
        message: null,
      }
      if (channel === 'sms') {
        await happened(contactStream(WORKSPACE, contactId), 'ContactPhoneChanged', { contactId, phone: numberOf(n) })
        await happened(contactStream(WORKSPACE, contactId), 'ContactConsentRecorded', consent)
      }
      if (channel === 'push') await registerAt(contactId)
      return contactId
    }),
  )

const accepted = async (channel: Channel, of: MessageOrigin, contactId: ContactId, n: number): Promise<string> => {
  const messageId = asMessageId(crypto.randomUUID())
  const kind = of === 'transactional' ? 'transactional' : 'marketing'
  const common = {
    messageId,
    contactId,
    channel,
    kind,
    templateId: null,
    ...(of === 'campaign' && { campaign: { campaignId, variant: 0 } }),
  }
  const sender = { fromEmail: FROM, fromName: null, replyTo: null, content: { subject: 's', html: 'h', text: 't' }, contentId: null }
  const [type, data] = {
    email: ['EmailAccepted', { ...common, ...sender, to: `p${n}@example.com` }] as const,
    sms: ['SmsAccepted', { ...common, to: numberOf(n), from: SENDER, body: 'Hi', credits: 1, segments: 1 }] as const,
    push: ['PushAccepted', { ...common, title: 'Hi', body: 'Ada', url: null, icon: null }] as const,
  }[channel]
  await happened(messageStream(WORKSPACE, messageId), type, data, of === 'flow' ? flowActor(flowId) : 'test')
  return messageId
}

/** Starts a process over a provider that answers nothing yet. `inHands`: what was handed to it; `taken`: what it took in the end. */
type Slow = Readonly<{ inHands: () => number; taken: () => number }>

const slow: Readonly<Record<'smtp' | 'twilio' | 'smpp' | 'web-push', () => Promise<Slow>>> = {
  smtp: async () => {
    let asked = 0
    sink.answers.data = async () => {
      asked++
      await gate.promise
      return undefined
    }
    running = await rig.consume(sink.url, {}, { connections: SLOTS, callMs: 300_000 })
    return { inHands: () => asked, taken: () => sink.mails.length }
  },
  twilio: async () => {
    const twilio = await startTwilioServer()
    stopServer = twilio.stop
    twilio.control.rule = () => (response, sid) =>
      void gate.promise.then(() =>
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid, status: 'queued' })),
      )
    const sms = await createSmsProvider({
      provider: twilio.url,
      publicUrl: 'http://127.0.0.1:1',
      pool: db.pool,
      connections: SLOTS,
      callMs: 300_000,
    })
    running = await rig.consume('outbox', { sms })
    return { inHands: () => twilio.requests.length, taken: () => twilio.requests.length }
  },
  'web-push': async () => {
    stopServer = await startPush({ callMs: 300_000, connections: SLOTS })
    service.control.rule = async () => {
      await gate.promise
      return undefined
    }
    running = await rig.consume('outbox', { push })
    return { inHands: () => service.requests.length, taken: () => service.taken.length }
  },
  smpp: async () => {
    const smsc = await startSmsc()
    stopServer = smsc.stop
    smsc.rules.submit = async () => {
      await gate.promise
      return 0
    }
    running = await rig.consume('outbox', { smsUrl: `${smsc.url}?window=${SLOTS}` })
    return { inHands: () => smsc.submitted.length, taken: () => smsc.taken().length }
  },
}

/** A stop, and what becomes of a message that it meets before its hand-over: an event, or the reason for which its job waits. */
type Stop = Readonly<{ of: MessageOrigin; stop: (contacts: Contacts) => Promise<unknown>; becomes: () => string }>
const toEach = (type: string, data: object) => async (contacts: Contacts) => {
  for (const contactId of contacts) await happened(contactStream(WORKSPACE, asContactId(contactId)), type, { contactId, ...data })
}
const said = (channel: Channel) => ({
  channel,
  from: 'subscribed',
  to: 'unsubscribed',
  source: 'test',
  ip: null,
  userAgent: null,
  message: null,
})
const move = (wanted: 'pause' | 'cancel') => () => campaignRig(rig, db.pool).move(campaignId, wanted)

const everywhere = (channel: Channel): Readonly<Record<string, Stop>> => ({
  'the workspace is suspended': {
    of: 'transactional',
    stop: () => ofWorkspace('WorkspaceStatusChanged', { status: 'suspended', reason: null }),
    becomes: () => 'workspace_suspended',
  },
  'the workspace is closed': {
    of: 'transactional',
    stop: () => ofWorkspace('WorkspaceStatusChanged', { status: 'closed', reason: null }),
    becomes: () => 'MessageFailed',
  },
  'the person is blacklisted': {
    of: 'transactional',
    stop: toEach('ContactSuppressed', { channel, reason: 'global_blocklist' }),
    becomes: () => 'MessageSuppressed',
  },
  'the person is erased': { of: 'transactional', stop: toEach('ContactErasureRequested', {}), becomes: () => 'MessageFailed' },
  'the person unsubscribes': { of: 'campaign', stop: toEach('ContactConsentRecorded', said(channel)), becomes: () => 'MessageSkipped' },
  'the campaign is cancelled': { of: 'campaign', stop: move('cancel'), becomes: () => 'MessageSkipped' },
  'the campaign is paused': { of: 'campaign', stop: move('pause'), becomes: () => `campaign_paused ${campaignId}` },
  'the flow is paused': { of: 'flow', stop: () => flowRig(rig).change('PauseFlow', flowId), becomes: () => `flow_paused ${flowId}` },
  'quiet hours begin': {
    of: 'flow',
    stop: () => ofWorkspace('MarketingRulesChanged', { quietHours: quietNow() }),
    becomes: () => 'quiet_hours',
  },
})
const ofEmail: Readonly<Record<string, Stop>> = {
  'a blocklist has the domain, of transactional mail': {
    of: 'transactional',
    stop: () => ofWorkspace('SenderDomainConfigured', { domain: 'acme.example', verified: true, blocklisted: true }),
    becomes: () => 'MessageFailed',
  },
  'a blocklist has the domain, of a campaign': {
    of: 'campaign',
    stop: () => ofWorkspace('SenderDomainConfigured', { domain: 'acme.example', verified: true, blocklisted: true }),
    becomes: () => 'MessageFailed',
  },
  'a blocklist has the domain, of a flow': {
    of: 'flow',
    stop: () => ofWorkspace('SenderDomainConfigured', { domain: 'acme.example', verified: true, blocklisted: true }),
    becomes: () => 'MessageFailed',
  },
  'the domain is verified no more': {
    of: 'transactional',
    stop: () => ofWorkspace('SenderDomainConfigured', { domain: 'acme.example', verified: false, blocklisted: false }),
    becomes: () => 'MessageFailed',
  },
}
const ofSms: Readonly<Record<string, Stop>> = {
  'the sender ID is deactivated': {
    of: 'transactional',
    stop: () => createSmsRig(rig).decideSender({ type: 'DeactivateSenderId', data: { senderId: SENDER } }),
    becomes: () => 'MessageFailed',
  },
}
const common = everywhere('push')
const ofPush: Readonly<Record<string, Stop>> = {
  ...Object.fromEntries(Object.entries(common).filter(([what, { of }]) => of !== 'campaign' && !what.includes('blacklisted'))),
  'the person unsubscribes': { of: 'flow', stop: toEach('ContactConsentRecorded', said('push')), becomes: () => 'MessageSkipped' },
  'the browser is taken from its contact': {
    of: 'transactional',
    stop: async (contacts) => {
      for (const contactId of contacts) {
        const [browser] = (await rig.contactOf(asContactId(contactId))).browsers
        const data = { contactId, endpointHash: browser?.endpointHash }
        await happened(contactStream(WORKSPACE, asContactId(contactId)), 'ContactBrowserRemoved', data)
      }
    },
    becomes: () => 'MessageFailed',
  },
}

describe.each([
  ['smtp', 'email', { ...everywhere('email'), ...ofEmail }],
  ['twilio', 'sms', { ...everywhere('sms'), ...ofSms }],
  ['smpp', 'sms', { ...everywhere('sms'), ...ofSms }],
  ['web-push', 'push', ofPush],
] as const)('over %s, after it was answered that', (kind, channel, stops) => {
  test.each(Object.entries(stops))('%s, no more leaves than what the provider has in its hands', async (_, { of, stop, becomes }) => {
    const provider = await slow[kind]()
    const contacts = await contactsOf(channel)
    const messages = await Promise.all(contacts.map((contactId, n) => accepted(channel, of, asContactId(contactId), n)))
    // All of them passed the early look and wait for the provider.
    await until(async () => expect((await db.pool.query('select from inbox.job where token is not null')).rowCount).toBe(MESSAGES))
    await until(() => expect(provider.inHands()).toBe(slotsFor(of)))
    await stop(contacts)
    await running.heard()
    const inHands = provider.inHands()
    expect(inHands).toBe(slotsFor(of))
    gate.resolve()
    await until(async () => expect((await db.pool.query('select from inbox.job where token is not null')).rowCount).toBe(0))
    // A claim may have ended with its lease before what it is about was looked at: another round looks at it.
    await until(async () => {
      const ends = await Promise.all(messages.map(async (messageId) => await endOf(asMessageId(messageId))))
      const others = ends.filter((end) => end !== 'MessageSent')
      expect(others).toEqual(Array.from({ length: MESSAGES - inHands }, becomes))
    })
    expect(provider.taken()).toBe(inHands)
  })
})

/** The last event of a message that has an outcome; otherwise what its job waits for. */
const endOf = async (messageId: MessageId): Promise<string> => {
  const last = (await rig.eventsOf(messageId)).at(-1) ?? ''
  if (!last.endsWith('Accepted')) return last
  const { rows } = await db.pool.query<{ waits: string }>(
    "select concat_ws(' ', deferred_for, deferred_by) as waits from inbox.job where payload = $1",
    [messageId],
  )
  return rows[0]?.waits ?? 'nothing'
}
