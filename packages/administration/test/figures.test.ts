import type { Recorded } from '@tidings/codec'
import { asCampaignId, asListId, asTemplateId, asWorkspaceId, type CampaignEvent, campaign } from '@tidings/domain'
import { expect, it } from 'vitest'
import { shownCampaign } from '../src/campaigns/figures.ts'

const campaignId = asCampaignId('0192f0c1-0000-7000-8000-0000000000aa')
const START = Date.parse('2026-11-23T09:00:00.000Z')
const settings = {
  tagIds: [],
  listId: asListId('l'),
  templateId: asTemplateId('t'),
  senderAddressId: 's',
  senderId: null,
  archived: false,
  variants: 1,
}
const created: CampaignEvent = {
  type: 'CampaignCreated',
  data: { ...settings, campaignId, name: 'Sale', channel: 'email', status: 'draft' },
}
const plan = {
  listId: asListId('l'),
  variants: [
    { templateId: asTemplateId('t'), weight: 3 },
    { templateId: asTemplateId('u'), weight: 1 },
  ],
  senderAddressId: 's',
  senderId: null,
}
const started: CampaignEvent = {
  type: 'CampaignStarted',
  data: { ...plan, campaignId, startedAt: new Date(START).toISOString(), quietHours: 'wait' },
}
const taken: CampaignEvent = { type: 'CampaignAudienceTaken', data: { campaignId, recipients: 100 } }

/** Each event a minute after the one before; the second is the start. */
const known = (...events: readonly CampaignEvent[]) => {
  const recorded = events.map((event, n): Recorded<CampaignEvent> => {
    const at = new Date(START + (n - 1) * 60_000).toISOString()
    const meta = { workspaceId: asWorkspaceId('w'), actor: 'test', requestId: 'r', schemaVersion: 1, at }
    return {
      ...event,
      id: `${n}`,
      stream: 's',
      revision: n,
      position: { commit: BigInt(n), prepare: 0n },
      created: at,
      meta,
      erased: false,
    }
  })
  const state = events.reduce(campaign.evolve, campaign.initialState)
  if (state === null) throw new Error('the campaign was never created')
  return { campaignId, name: 'Sale', state, events: recorded }
}

const counted = (variant: number, outcome: 'accepted' | 'queued' | 'sent' | 'skipped', messages: number, reason = '') => ({
  ...{ variant, outcome, messages, reason },
})

it('a draft has no figures, and no time', () => {
  expect(shownCampaign(known(created), [], START)).toMatchObject({
    ...{
      status: 'draft',
      audience: 0,
      waiting: 0,
      sent: 0,
      startedAt: null,
      finishedAt: null,
      perMinute: null,
      secondsLeft: null,
      variants: [],
    },
  })
})

it('one that is being sent has a rate and a time left, and its variants add up', () => {
  const rows = [
    ...[counted(0, 'accepted', 40), counted(0, 'queued', 5), counted(0, 'sent', 33), counted(0, 'skipped', 2, 'no_consent')],
    ...[counted(1, 'accepted', 10), counted(1, 'queued', 5), counted(1, 'sent', 4), counted(1, 'skipped', 1, 'no_consent')],
  ]
  expect(shownCampaign(known(created, started, taken), rows, START + 120_000)).toMatchObject({
    ...{ status: 'sending', audience: 100, waiting: 50, queued: 10, sent: 37, skipped: { no_consent: 3 } },
    // 40 messages in two minutes; 60 are left.
    ...{ perMinute: 20, secondsLeft: 180, startedAt: '2026-11-23T09:00:00.000Z', finishedAt: null },
    variants: [
      { templateId: asTemplateId('t'), sent: 33, skipped: { no_consent: 2 } },
      { templateId: asTemplateId('u'), sent: 4, skipped: { no_consent: 1 } },
    ],
  })
})

it('one that waits says why, and has no time left', () => {
  const late: CampaignEvent = { type: 'CampaignPaused', data: { campaignId, reason: 'late' } }
  expect(shownCampaign(known(created, late), [], START)).toMatchObject({ status: 'paused', reason: 'late', secondsLeft: null })
})

it('one that was cancelled leaves no recipient waiting whom it had not begun', () => {
  const cancelled: CampaignEvent = { type: 'CampaignCancelled', data: { campaignId } }
  const rows = [counted(0, 'accepted', 10), counted(0, 'sent', 8), counted(0, 'skipped', 2, 'campaign_cancelled')]
  expect(shownCampaign(known(created, started, taken, cancelled), rows, START + 600_000)).toMatchObject({
    ...{ status: 'cancelled', audience: 100, waiting: 0, queued: 0, sent: 8, skipped: { campaign_cancelled: 2 } },
    ...{ finishedAt: '2026-11-23T09:02:00.000Z', perMinute: 5, secondsLeft: null },
  })
})

it('one that failed says why', () => {
  const failed: CampaignEvent = { type: 'CampaignFailed', data: { campaignId, reason: 'no_audience' } }
  expect(shownCampaign(known(created, started, failed), [], START)).toMatchObject({ status: 'failed', reason: 'no_audience', audience: 0 })
})
