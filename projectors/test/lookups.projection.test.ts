import { asCampaignId, asListId, asTemplateId, type CampaignEvent, type DomainEvent } from '@tidings/domain'
import type { AnyProjection } from '@tidings/projections'
import { foldAll } from '@tidings/projections/testing'
import { describe, expect, test } from 'vitest'
import { campaignsProjection } from '../src/campaigns.projection.ts'
import { customEventsProjection } from '../src/custom-events.projection.ts'
import { customFieldsProjection } from '../src/custom-fields.projection.ts'
import { smsSendersProjection } from '../src/sms-senders.projection.ts'
import { moment, recorded, WORKSPACE } from './recorded.ts'

const id = asCampaignId('0192f0c1-0000-7000-8000-00000000000b')
const rowsOf = (projection: AnyProjection, events: readonly DomainEvent[]) => foldAll(projection, recorded(events))[projection.name]

test('a custom field is what was said of it last, and keeps its birth', () => {
  const data = { fieldId: id, key: 'size', label: 'Shoe size', kind: 'select', options: [{ label: 'Small', value: 's' }] } as const
  const rows = rowsOf(customFieldsProjection, [
    { type: 'CustomFieldConfigured', data },
    { type: 'CustomFieldConfigured', data: { ...data, label: 'Size' } },
  ])
  const { fieldId: _, ...described } = data
  expect(rows).toEqual([{ workspace_id: WORKSPACE, id, ...described, label: 'Size', created_at: moment(1), updated_at: moment(2) }])
})

test('a custom event is what was said of it last, and keeps its birth', () => {
  const data = { eventId: id, name: 'order_placed', label: 'Order placed', properties: ['total'], retired: false }
  const rows = rowsOf(customEventsProjection, [
    { type: 'CustomEventDeclared', data },
    { type: 'CustomEventDeclared', data: { ...data, retired: true } },
  ])
  const { eventId: _, ...described } = data
  expect(rows).toEqual([{ workspace_id: WORKSPACE, id, ...described, retired: true, created_at: moment(1), updated_at: moment(2) }])
})

describe('an SMS sender ID', () => {
  const senderId = 'ACME'
  const life: readonly DomainEvent[] = [
    { type: 'SmsSenderIdRequested', data: { senderId } },
    { type: 'SmsSenderIdRejected', data: { senderId, reason: 'not yours' } },
    { type: 'SmsSenderIdRequested', data: { senderId } },
    { type: 'SmsSenderIdApproved', data: { senderId } },
    { type: 'SmsSenderIdDeactivated', data: { senderId } },
  ]

  test.each([
    [1, 'pending', null],
    [2, 'rejected', 'not yours'],
    [3, 'pending', null],
    [4, 'approved', null],
    [5, 'deactivated', null],
  ] as const)('stands after %i events as %s', (count, status, reason) => {
    expect(rowsOf(smsSendersProjection, life.slice(0, count))).toEqual([
      { workspace_id: WORKSPACE, sender_id: senderId, status, reason, created_at: moment(1), updated_at: moment(count) },
    ])
  })
})

describe('a campaign', () => {
  const settings = {
    tagIds: ['t'],
    listId: asListId(id),
    templateId: asTemplateId(id),
    senderAddressId: id,
    senderId: null,
    archived: false,
    variants: 2,
  }
  const created: CampaignEvent = {
    type: 'CampaignCreated',
    data: { campaignId: id, name: 'Spring sale', channel: 'email', status: 'draft', ...settings },
  }
  const scheduled: CampaignEvent = { type: 'CampaignScheduled', data: { campaignId: id, scheduleAt: moment(99) } }
  const known = {
    ...{ workspace_id: WORKSPACE, id, name: 'Spring sale', channel: 'email', status: 'draft', tag_ids: ['t'], list_id: id },
    ...{ template_id: id, archived: false, variants: 2, schedule_at: null, sent_at: null, created_at: moment(1) },
  }

  test('is a row from its creation on', () => {
    expect(rowsOf(campaignsProjection, [created])).toEqual([{ ...known, updated_at: moment(1) }])
  })

  test('has other settings when they change', () => {
    const changed = { tagIds: [], listId: null, templateId: null, senderAddressId: null, senderId: null, archived: true, variants: 1 }
    expect(rowsOf(campaignsProjection, [created, { type: 'CampaignChanged', data: { campaignId: id, ...changed } }])).toEqual([
      { ...known, tag_ids: [], list_id: null, template_id: null, archived: true, variants: 1, updated_at: moment(2) },
    ])
  })

  test('has a time while it is scheduled, and keeps the one it was cancelled with', () => {
    expect(rowsOf(campaignsProjection, [created, scheduled])).toMatchObject([{ status: 'scheduled', schedule_at: moment(99) }])
    expect(rowsOf(campaignsProjection, [created, scheduled, { type: 'CampaignUnscheduled', data: { campaignId: id } }])).toMatchObject([
      { status: 'draft', schedule_at: null },
    ])
    expect(rowsOf(campaignsProjection, [created, scheduled, { type: 'CampaignCancelled', data: { campaignId: id } }])).toMatchObject([
      { status: 'cancelled', schedule_at: moment(99) },
    ])
  })
})
