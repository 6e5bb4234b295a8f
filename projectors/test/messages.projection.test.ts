import { asCampaignId, asContactId, asMessageId, asTemplateId, type MessageEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { messagesProjection } from '../src/messages.projection.ts'
import { moment, recorded, WORKSPACE } from './recorded.ts'

const of = {
  messageId: asMessageId('0192f0c1-0000-7000-8000-00000000000a'),
  contactId: asContactId('0192f0c1-0000-7000-8000-00000000000b'),
  channel: 'email',
} as const

const accepted: MessageEvent = {
  type: 'EmailAccepted',
  data: {
    ...of,
    to: 'ann@acme.example',
    fromEmail: 'hello@acme.example',
    fromName: null,
    replyTo: null,
    content: null,
    contentId: null,
    templateId: null,
    kind: 'transactional',
  },
}
const sent: MessageEvent = { type: 'MessageSent', data: { ...of, provider: 'smtp', providerMessageId: '<a@b>' } }
const delivered: MessageEvent = { type: 'MessageDelivered', data: of }

const statusAfter = (...events: readonly MessageEvent[]) => foldAll(messagesProjection, recorded([accepted, ...events])).messages?.[0]

test('an accepted message is queued since then, without anything else to tell', () => {
  expect(foldAll(messagesProjection, recorded([accepted]))).toEqual({
    messages: [
      {
        workspace_id: WORKSPACE,
        id: of.messageId,
        contact_id: of.contactId,
        channel: 'email',
        status: 'queued',
        failure_reason: null,
        provider_message_id: null,
        queued_at: moment(1),
        sent_at: null,
        delivered_at: null,
        updated_at: moment(1),
        kind: 'transactional',
        template_id: null,
        campaign_id: null,
        flow_id: null,
        opened_at: null,
        clicked_at: null,
      },
    ],
    message_totals: [{ workspace_id: WORKSPACE, total: 1n }],
    provider_ids: [],
  })
})

test('what the server called a mail is kept by that name, unless it is our Message-ID or no mail', () => {
  const names = (event: MessageEvent) => foldAll(messagesProjection, recorded([accepted, event])).provider_ids
  expect(names(sent)).toEqual([{ workspace_id: WORKSPACE, provider_message_id: '<a@b>', message_id: of.messageId, sent_at: moment(2) }])
  expect(names({ ...sent, data: { ...sent.data, providerMessageId: `<${of.messageId}@tidings.example>` } })).toEqual([])
  expect(names({ ...sent, data: { ...sent.data, channel: 'sms' } })).toEqual([])
})

test('a mail whose acceptance is not shown is still found by what its server called it', () => {
  expect(foldAll(messagesProjection, recorded([sent])).provider_ids).toMatchObject([{ message_id: of.messageId }])
})

test('sent, then delivered: each leaves its time and what the provider called the message', () => {
  expect(statusAfter(sent, delivered)).toMatchObject({
    status: 'delivered',
    provider_message_id: '<a@b>',
    sent_at: moment(2),
    delivered_at: moment(3),
    updated_at: moment(3),
  })
})

test('a receipt that overtook the provider keeps its status; the provider only adds id and time', () => {
  expect(statusAfter(delivered, sent)).toMatchObject({
    status: 'delivered',
    provider_message_id: '<a@b>',
    sent_at: moment(3),
    delivered_at: moment(2),
    updated_at: moment(2),
  })
})

test.each<[MessageEvent, string, string]>([
  [{ type: 'MessageBounced', data: { ...of, reason: 'soft_bounce', hard: false, detail: null } }, 'bounced', 'soft_bounce'],
  [{ type: 'MessageComplained', data: of }, 'complained', 'spam_complaint'],
  [{ type: 'MessageFailed', data: { ...of, reason: 'provider_unavailable', detail: null } }, 'failed', 'provider_unavailable'],
  [{ type: 'MessageSuppressed', data: { ...of, reason: 'global_blocklist' } }, 'suppressed', 'global_blocklist'],
  [{ type: 'MessageSkipped', data: { ...of, reason: 'insufficient_credits' } }, 'skipped', 'insufficient_credits'],
])('%o is shown with its reason', (event, status, reason) => {
  expect(statusAfter(event)).toMatchObject({ status, failure_reason: reason, updated_at: moment(2) })
})

test('a message to somebody who was erased keeps its record, which names no one', () => {
  const rows = foldAll(messagesProjection, recorded([accepted, sent], true))
  expect(rows.messages).toMatchObject([{ status: 'sent' }])
})

test('what it is for, and what asked for it, stands beside its status', () => {
  const [templateId, campaignId] = [
    asTemplateId('0192f0c1-0000-7000-8000-00000000000c'),
    asCampaignId('0192f0c1-0000-7000-8000-00000000000d'),
  ]
  const ofCampaign: MessageEvent = {
    ...accepted,
    data: { ...accepted.data, kind: 'marketing', templateId, campaign: { campaignId, variant: 0 } },
  }
  const first = ([event]: ReturnType<typeof recorded>, actor: string) =>
    foldAll(messagesProjection, event === undefined ? [] : [{ ...event, meta: { ...event.meta, actor } }]).messages?.[0]
  expect(first(recorded([ofCampaign]), `campaign:${campaignId}`)).toMatchObject({
    kind: 'marketing',
    template_id: templateId,
    campaign_id: campaignId,
    flow_id: null,
  })
  expect(first(recorded([accepted]), `flow:${campaignId}`)).toMatchObject({ kind: 'transactional', campaign_id: null, flow_id: campaignId })
})

test('it was opened and clicked when a person did so first, and a program never did', () => {
  const opened = (machine: boolean): MessageEvent => ({ type: 'EmailOpened', data: { ...of, machine } })
  const clicked = (machine: boolean): MessageEvent => ({
    type: 'EmailClicked',
    data: { ...of, machine, link: 0, url: 'https://acme.example' },
  })
  expect(statusAfter(opened(true), clicked(true))).toMatchObject({ opened_at: null, clicked_at: null })
  expect(statusAfter(opened(true), opened(false), clicked(true), clicked(false), clicked(false))).toMatchObject({
    opened_at: moment(3),
    clicked_at: moment(5),
    status: 'queued',
    updated_at: moment(1),
  })
})
