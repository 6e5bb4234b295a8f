import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import type { CampaignEvent, FirstCampaignStatus } from './campaign.ts'
import { CAMPAIGN_MOVES, type CampaignMove, campaign } from './campaign.ts'

const { given } = specFor(campaign)

const [now, later] = ['2026-11-21T12:00:00.000Z', '2026-11-22T09:00:00.000Z']
const settings = {
  tagIds: ['t'],
  listId: 'l',
  templateId: 'm',
  senderAddressId: 'a',
  senderId: null,
  archived: false,
  variants: 1,
}
const data = { campaignId: 'c', name: 'Spring sale', channel: 'email', status: 'draft', ...settings } as const
const created = (status: FirstCampaignStatus = 'draft'): CampaignEvent => ({ type: 'CampaignCreated', data: { ...data, status } })
const scheduled: CampaignEvent = { type: 'CampaignScheduled', data: { campaignId: 'c', scheduleAt: later } }
const unscheduled: CampaignEvent = { type: 'CampaignUnscheduled', data: { campaignId: 'c' } }
const cancelled: CampaignEvent = { type: 'CampaignCancelled', data: { campaignId: 'c' } }

const move = (wanted: CampaignMove, at: string | null = null) =>
  ({ type: 'MoveCampaign', data: { campaignId: 'c', move: wanted, at, now } }) as const
const movesBut = (...moves: readonly CampaignMove[]) => CAMPAIGN_MOVES.filter((one) => !moves.includes(one))

describe('a campaign', () => {
  it('is created once, as a draft or as history', () => {
    given().when({ type: 'ConfigureCampaign', data }).thenEvents(created())
    given()
      .when({ type: 'ConfigureCampaign', data: { ...data, status: 'sent' } })
      .thenEvents(created('sent'))
  })

  it('records all settings when any of them differs', () => {
    const changed = { ...settings, tagIds: [], archived: true }
    given(created())
      .when({ type: 'ConfigureCampaign', data: { ...data, ...changed } })
      .thenEvents({ type: 'CampaignChanged', data: { campaignId: 'c', ...changed } })
    given(created(), { type: 'CampaignChanged', data: { campaignId: 'c', ...changed } })
      .when({ type: 'ConfigureCampaign', data: { ...data, ...changed } })
      .thenNothing()
  })

  it('is not moved by being configured', () => {
    given(created(), scheduled).when({ type: 'ConfigureCampaign', data }).thenNothing()
    given(created())
      .when({ type: 'ConfigureCampaign', data: { ...data, status: 'sent' } })
      .thenNothing()
  })

  it('keeps its channel', () => {
    given(created())
      .when({ type: 'ConfigureCampaign', data: { ...data, channel: 'sms' } })
      .thenRefused('campaign_channel_fixed')
  })
})

describe('the moves of a campaign', () => {
  it('plan a draft, and make a planned one a draft again', () => {
    given(created()).when(move('schedule', later)).thenOnce(scheduled)
    given(created(), scheduled).when(move('unschedule')).thenOnce(unscheduled)
    given(created(), scheduled, unscheduled).when(move('schedule', later)).thenOnce(scheduled)
  })

  it('plan for a time that is ahead', () => {
    for (const at of [null, now, '2026-11-21T11:59:59.999Z'])
      given(created()).when(move('schedule', at)).thenRefused('campaign_schedule_not_ahead')
  })

  it('cancel what is planned or paused, for ever', () => {
    given(created(), scheduled).when(move('cancel')).thenOnce(cancelled)
    given(created('paused')).when(move('cancel')).thenOnce(cancelled)
  })

  it('are refused where sending would begin, as long as nothing sends', () => {
    given(created()).when(move('start')).thenRefused('campaigns_not_sent')
    given(created(), scheduled).when(move('start')).thenRefused('campaigns_not_sent')
    given(created('paused')).when(move('resume')).thenRefused('campaigns_not_sent')
  })

  it('are no others', () => {
    const refused = (events: readonly CampaignEvent[], moves: readonly CampaignMove[]) => {
      for (const one of moves)
        given(...events)
          .when(move(one, later))
          .thenRefused('campaign_move_not_allowed')
    }
    refused([created()], movesBut('schedule', 'start'))
    refused([created(), scheduled], movesBut('unschedule', 'start', 'cancel'))
    refused([created('paused')], movesBut('resume', 'cancel'))
    for (const last of ['sent', 'cancelled', 'failed'] as const) refused([created(last)], CAMPAIGN_MOVES)
    refused([created(), scheduled, cancelled], CAMPAIGN_MOVES)
    for (const one of CAMPAIGN_MOVES) given().when(move(one, later)).thenRefused('campaign_not_found')
  })
})
