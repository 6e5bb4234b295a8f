import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CampaignEvent, CampaignStarted, FirstCampaignStatus } from '../../src/campaign/campaign.events.ts'
import { CAMPAIGN_MOVES, type CampaignCommand, type CampaignMove, campaign } from '../../src/campaign/campaign.ts'
import { asCampaignId, asListId, asTemplateId } from '../../src/index.ts'

const { given } = specFor(campaign)

const [now, later] = ['2026-11-21T12:00:00.000Z', '2026-11-22T09:00:00.000Z']
const settings = {
  tagIds: ['t'],
  listId: asListId('l'),
  templateId: asTemplateId('m'),
  senderAddressId: 'a',
  senderId: null,
  archived: false,
  variants: 1,
}
const data = { campaignId: asCampaignId('c'), name: 'Spring sale', channel: 'email', status: 'draft', ...settings } as const
const created = (status: FirstCampaignStatus = 'draft'): CampaignEvent => ({ type: 'CampaignCreated', data: { ...data, status } })
const scheduled: CampaignEvent = { type: 'CampaignScheduled', data: { campaignId: asCampaignId('c'), scheduleAt: later } }
const unscheduled: CampaignEvent = { type: 'CampaignUnscheduled', data: { campaignId: asCampaignId('c') } }
const started: CampaignStarted = {
  type: 'CampaignStarted',
  data: {
    campaignId: asCampaignId('c'),
    startedAt: now,
    listId: asListId('l'),
    variants: [{ templateId: asTemplateId('m'), weight: 1 }],
    senderAddressId: 'a',
    senderId: null,
    quietHours: 'wait',
  },
}
const paused = (reason: 'operator' | 'late' = 'operator'): CampaignEvent => ({
  type: 'CampaignPaused',
  data: { campaignId: asCampaignId('c'), reason },
})
const resumed: CampaignEvent = { type: 'CampaignResumed', data: { campaignId: asCampaignId('c') } }
const taken: CampaignEvent = { type: 'CampaignAudienceTaken', data: { campaignId: asCampaignId('c'), recipients: 2 } }
const sent: CampaignEvent = { type: 'CampaignSent', data: { campaignId: asCampaignId('c') } }
const failed: CampaignEvent = { type: 'CampaignFailed', data: { campaignId: asCampaignId('c'), reason: 'no_audience' } }
const cancelled: CampaignEvent = { type: 'CampaignCancelled', data: { campaignId: asCampaignId('c') } }

const move = (wanted: CampaignMove, at: string | null = null) =>
  ({ type: 'MoveCampaign', data: { campaignId: asCampaignId('c'), move: wanted, at, now } }) as const
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
      .thenEvents({ type: 'CampaignChanged', data: { campaignId: asCampaignId('c'), ...changed } })
    given(created(), { type: 'CampaignChanged', data: { campaignId: asCampaignId('c'), ...changed } })
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

  it('start it, from a draft or before its time, and what is sent is fixed', () => {
    given(created()).when(move('start')).thenOnce(started)
    given(created(), scheduled).when(move('start')).thenOnce(started)
    const split = [
      { templateId: asTemplateId('m'), weight: 3 },
      { templateId: asTemplateId('n'), weight: 1 },
    ]
    const varied = { ...settings, templateId: null, split, quietHours: 'skip' } as const
    given({ type: 'CampaignCreated', data: { ...data, ...varied } })
      .when(move('start'))
      .thenOnce({
        type: 'CampaignStarted',
        data: { ...started.data, variants: split, quietHours: 'skip' },
      })
    given({ type: 'CampaignCreated', data: { ...data, templateId: null } })
      .when(move('start'))
      .thenOnce({ type: 'CampaignStarted', data: { ...started.data, variants: [] } })
  })

  it('pause it and let it go on', () => {
    given(created(), started).when(move('pause')).thenOnce(paused())
    given(created(), started, paused()).when(move('resume')).thenOnce(resumed)
    given(created(), started, paused(), resumed).when(move('pause')).thenOnce(paused())
    given(created(), started, paused()).when(move('cancel')).thenOnce(cancelled)
  })

  it('let it go on with newer texts where the resume says so', () => {
    const { type, data: asked } = move('resume')
    given(created(), started, paused())
      .when({ type, data: { ...asked, texts: 'newest' } })
      .thenOnce({ type: 'CampaignResumed', data: { campaignId: asCampaignId('c'), texts: 'newest' } })
  })

  it('start by a resume what was paused before it began', () => {
    given(created(), scheduled, paused('late')).when(move('resume')).thenOnce(started)
    given(created('paused')).when(move('resume')).thenOnce(started)
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
    refused([created(), started], movesBut('pause', 'cancel'))
    refused([created(), started, paused()], movesBut('resume', 'cancel'))
    refused([created(), started, sent], CAMPAIGN_MOVES)
    refused([created(), started, failed], CAMPAIGN_MOVES)
    for (const one of CAMPAIGN_MOVES) given().when(move(one, later)).thenRefused('campaign_not_found')
  })
})

describe('a campaign whose time has come', () => {
  const begin = (at: string): CampaignCommand => ({ type: 'BeginScheduled', data: { campaignId: asCampaignId('c'), now: at } })
  const startedAt = (at: string): CampaignEvent => ({ ...started, data: { ...started.data, startedAt: at } })

  it('starts, up to an hour late, and never before', () => {
    given(created(), scheduled).when(begin('2026-11-22T08:59:59.999Z')).thenNothing()
    given(created(), scheduled).when(begin(later)).thenEvents(startedAt(later))
    given(created(), scheduled).when(begin('2026-11-22T10:00:00.000Z')).thenEvents(startedAt('2026-11-22T10:00:00.000Z'))
  })

  it('is paused when it is later than that', () => {
    given(created(), scheduled).when(begin('2026-11-22T10:00:00.001Z')).thenEvents(paused('late'))
  })

  it('does nothing where it is not scheduled any more', () => {
    const after = '2026-11-22T09:30:00.000Z'
    given(created(), scheduled, unscheduled).when(begin(after)).thenNothing()
    given(created(), scheduled, started).when(begin(after)).thenNothing()
    given(created(), scheduled, cancelled).when(begin(after)).thenNothing()
  })
})

describe('a campaign that is being sent', () => {
  it('is paused as late, and only while it is being sent', () => {
    const late: CampaignCommand = { type: 'PauseLate', data: { campaignId: asCampaignId('c') } }
    given(created(), started).when(late).thenEvents(paused('late'))
    for (const events of [[created()], [created(), scheduled], [created(), started, paused()], [created(), started, sent]])
      given(...events)
        .when(late)
        .thenNothing()
  })

  const audience = (recipients: number): CampaignCommand => ({
    type: 'RecordAudience',
    data: { campaignId: asCampaignId('c'), recipients },
  })
  const finish: CampaignCommand = { type: 'FinishCampaign', data: { campaignId: asCampaignId('c') } }
  const fail: CampaignCommand = { type: 'FailCampaign', data: { campaignId: asCampaignId('c'), reason: 'no_audience' } }

  it('has one audience, also where it is paused meanwhile', () => {
    given(created(), started).when(audience(2)).thenEvents(taken)
    given(created(), started, paused()).when(audience(2)).thenEvents(taken)
    given(created(), started, taken).when(audience(3)).thenNothing()
    given(created()).when(audience(2)).thenNothing()
  })

  it('ends once, and only while it is being sent', () => {
    given(created(), started, taken).when(finish).thenEvents(sent)
    given(created(), started).when(fail).thenEvents(failed)
    for (const events of [[created()], [created(), started, paused()], [created(), started, cancelled], [created(), started, sent]]) {
      given(...events)
        .when(finish)
        .thenNothing()
      given(...events)
        .when(fail)
        .thenNothing()
    }
  })

  it('sends what it was started with, whatever its settings become', () => {
    const changed: CampaignEvent = {
      type: 'CampaignChanged',
      data: { campaignId: asCampaignId('c'), ...settings, listId: asListId('other') },
    }
    const state = [created(), started, changed].reduce(campaign.evolve, campaign.initialState)
    expect(state?.started).toEqual(started.data)
    expect(state?.settings.listId).toBe('other')
  })

  it('starts once and takes one audience, whatever comes in whatever order', () => {
    const command: fc.Arbitrary<CampaignCommand> = fc.oneof(
      fc.constantFrom(...CAMPAIGN_MOVES).map((wanted) => move(wanted, later)),
      fc.constantFrom(finish, fail, audience(2), audience(3)),
      fc
        .constantFrom(later, '2026-11-22T23:00:00.000Z')
        .map((at): CampaignCommand => ({ type: 'BeginScheduled', data: { campaignId: asCampaignId('c'), now: at } })),
    )
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const log: CampaignEvent[] = [created()]
        for (const one of commands) {
          const state = log.reduce(campaign.evolve, campaign.initialState)
          try {
            log.push(...campaign.decide(one, state))
          } catch (error) {
            expect(error).toMatchObject({ code: 'campaign_move_not_allowed' })
          }
        }
        const count = (type: CampaignEvent['type']) => log.filter((event) => event.type === type).length
        expect(count('CampaignStarted')).toBeLessThanOrEqual(1)
        expect(count('CampaignAudienceTaken')).toBeLessThanOrEqual(count('CampaignStarted'))
        const ends = log.filter(({ type }) => type === 'CampaignSent' || type === 'CampaignFailed' || type === 'CampaignCancelled')
        expect(ends.length).toBeLessThanOrEqual(1)
        if (ends[0] !== undefined) expect(log.at(-1)).toBe(ends[0])
      }),
      { numRuns: 300 },
    )
  })
})
