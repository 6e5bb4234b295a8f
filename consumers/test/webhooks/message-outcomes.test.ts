import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import {
  asCampaignId,
  asContactId,
  asFlowId,
  asMessageId,
  asWorkspaceId,
  eventDeclarations,
  type MessageEvent,
  messageStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, it } from 'vitest'
import { flowActor } from '../../src/flows/flow-actor.ts'
import { occurrencesOf } from '../../src/webhooks/occurrences.ts'
import { createPayloadReader } from '../../src/webhooks/payload-reader.ts'
import { createPayloads } from '../../src/webhooks/payloads.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const contactId = asContactId('0192b1f0-0000-7000-8000-00000000000a')
const messageId = asMessageId('0192b1f0-0000-7000-8000-00000000000c')
const flowId = asFlowId('0192b1f0-0000-7000-8000-00000000000d')
const campaign = { campaignId: asCampaignId('0192b1f0-0000-7000-8000-00000000000e'), variant: 0 }

type OutcomesFor = Readonly<{
  channel?: 'email' | 'sms' | 'push' | 'voice'
  contactId?: typeof contactId | null
  campaign?: typeof campaign
}>
type Outcomes = ReturnType<typeof outcomesOf>

const outcomesOf = ({ channel = 'email', contactId: of = contactId, campaign: from }: OutcomesFor = {}) => {
  const data = { messageId, contactId: of, channel, ...(from && { campaign: from }) }
  return {
    sent: { type: 'MessageSent', data: { ...data, provider: 'smtp', providerMessageId: 'p-1' } },
    delivered: { type: 'MessageDelivered', data },
    bounced: { type: 'MessageBounced', data: { ...data, reason: 'soft_bounce', hard: false, detail: 'box of ada@example.com is full' } },
    complained: { type: 'MessageComplained', data },
    failed: { type: 'MessageFailed', data: { ...data, reason: 'provider_rejected', detail: null } },
    suppressed: { type: 'MessageSuppressed', data: { ...data, reason: 'global_blocklist' } },
    skipped: { type: 'MessageSkipped', data: { ...data, reason: 'no_consent' } },
    repeated: { type: 'MessageReceiptIgnored', data: { ...data, receipt: 'delivered', facts: null } },
    unconfirmed: { type: 'MessageUnconfirmed', data: { ...data, provider: 'smtp' } },
  } as const satisfies Readonly<Record<string, MessageEvent>>
}

const accepted: MessageEvent = {
  type: 'EmailAccepted',
  data: {
    ...{ messageId, contactId, channel: 'email', to: 'ada@example.com', fromEmail: 'shop@acme.example', fromName: null, replyTo: null },
    ...{ content: { subject: 'Hi', html: '<p>Hi</p>', text: null }, contentId: null, templateId: null, kind: 'transactional' },
  },
}

/** What webhooks say of a message whose stream has these events, one append each. */
const reportsOf = async (events: readonly MessageEvent[], actor = 'key:1') => {
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const payloads = createPayloads(createPayloadReader(log, keyRing))
  const stream = messageStream(workspaceId, messageId)
  for (const [n, event] of [accepted, ...events].entries()) {
    const context = { commandId: `${n}`, workspaceId, requestId: `${n}`, at: `2026-01-01T00:00:0${n}.000Z` }
    await log.append(stream, 'any', [event], { ...context, actor: n === 0 ? actor : 'provider' })
  }
  const reported: (readonly [string, unknown])[] = []
  for (const event of await log.readStream(workspaceId, stream)) {
    for (const { name } of occurrencesOf([event])) {
      const payload = await payloads.of({ workspaceId, event: name, source: `${stream}@${event.revision}` })
      reported.push([name, payload && JSON.parse(payload.data)])
    }
  }
  return reported
}

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
const data = (second: number, more: object) => ({
  contactId,
  occurredAt: at(second),
  channel: 'email',
  messageId,
  providerMessageId: null,
  ...more,
})
const known = { providerMessageId: 'p-1' }

describe('what webhooks say of a message', () => {
  const { sent, delivered, bounced, complained, failed, suppressed, skipped, repeated, unconfirmed } = outcomesOf()

  it.each<[string, readonly MessageEvent[], readonly (readonly [string, object])[]]>([
    [
      'that arrives',
      [sent, delivered],
      [
        ['email.sent', data(1, known)],
        ['email.delivered', data(2, known)],
      ],
    ],
    [
      'whose receipt is earlier than the answer',
      [delivered, sent],
      [
        ['email.delivered', data(1, {})],
        ['email.sent', data(2, known)],
      ],
    ],
    [
      'that bounces and is called spam, with receipts that move nothing',
      [unconfirmed, sent, repeated, bounced, repeated, complained],
      [
        ['email.sent', data(2, known)],
        ['email.bounced', data(4, { ...known, reason: 'soft_bounce' })],
        ['email.complained', data(6, { ...known, reason: 'spam_complaint' })],
      ],
    ],
    ['that fails', [failed], [['email.failed', data(1, { reason: 'provider_rejected' })]]],
    ['that is suppressed', [suppressed], [['email.suppressed', data(1, { reason: 'global_blocklist' })]]],
    ['that is skipped', [skipped], []],
  ])('%s', async (_, events, reported) => {
    expect(await reportsOf(events)).toEqual(reported)
  })

  it('names the campaign, beside the event of the catalogue', async () => {
    const of: Outcomes = outcomesOf({ campaign })
    const { campaignId } = campaign
    expect(await reportsOf([of.sent, of.bounced])).toEqual([
      ['campaign.sent', data(1, { ...known, campaignId })],
      ['email.sent', data(1, { ...known, campaignId })],
      ['email.bounced', data(2, { ...known, reason: 'soft_bounce', campaignId })],
    ])
  })

  it('names the flow', async () => {
    expect(await reportsOf([sent], flowActor(flowId))).toEqual([['email.sent', data(1, { ...known, flowId })]])
  })
})

describe('the outcomes of other channels', () => {
  const namesOf = (of: OutcomesFor) =>
    Object.values(outcomesOf(of)).flatMap((event) => occurrencesOf([recorded(event)]).map(({ name }) => name))
  const recorded = (event: MessageEvent) =>
    ({
      ...event,
      stream: 's',
      revision: 1,
      id: 'i',
      position: { commit: 1n, prepare: 1n },
      erased: false,
      meta: { requestId: 'r' },
    }) as never

  it.each(['sms', 'push'] as const)('%s have the same names', (channel) => {
    expect(namesOf({ channel })).toEqual(
      ['sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'].map((one) => `${channel}.${one}`),
    )
  })
  it.each([
    { channel: 'sms', contactId: null },
    { channel: 'voice', contactId: null },
  ] as const)('a passcode has none: %o', (of) => {
    expect(namesOf(of)).toEqual([])
  })
})
