import { createCommandRunner } from '@tidings/commands'
import type { CampaignOption, Page } from '@tidings/contracts'
import { asCampaignId, campaign, campaignStream } from '@tidings/domain'
import { createProvisioner } from '@tidings/provisioning'
import { untilVisible } from '@tidings/service/read-side'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client

/** The campaigns in the order of creation, each later than the one before. */
const FILE = `
templates: [{ name: welcome, channel: email, subject: s, html: h }, { name: ready, channel: sms, body: b }]
lists: [{ name: VIP, type: static }, { name: All, type: static }]
tags: [{ name: spring }, { name: sale }]
smsSenderIds: [{ id: ACME, status: approved }]
campaigns:
  - { name: alpha, channel: email, tags: [spring, sale], list: VIP, template: welcome, from: hello@acme.example }
  - { name: Bravo 100% ΟΔΟΣ, channel: sms, status: sent, tags: [sale], list: All, template: ready, from: acme }
  - { name: charlie, channel: email, status: paused, variants: 2 }
  - { name: Delta, channel: email, status: cancelled, archived: true }
  - { name: echo_x, channel: sms, status: failed, list: VIP }`

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', FILE)
})
afterAll(() => world.stop())

const list = async (query = ''): Promise<Page<CampaignOption>> => dataOf(await acme.request('GET', `/public/campaigns${query}`), 200)
const first = async (query: string) => (await list(query)).items.map(({ label }) => label[0]).join('')
const UNKNOWN = '00000000-0000-7000-8000-000000000000'

describe('the campaigns', () => {
  it('are options, last changed first, without the archived ones', async () => {
    const { items, ...page } = await list()
    expect(page).toEqual({ limit: 25, offset: 0, total: 4, has_more: false, next_cursor: null })
    expect(items.map(({ label }) => label)).toEqual(['echo_x', 'charlie', 'Bravo 100% ΟΔΟΣ', 'alpha'])
    expect(items.at(-1)).toEqual({ value: acme.applied.campaigns.alpha, label: 'alpha', channel: 'email', status: 'draft' })
  })

  it('come in pages, by page or by offset, which wins', async () => {
    expect(await list('?limit=3')).toMatchObject({ limit: 3, offset: 0, has_more: true, next_cursor: '3' })
    expect(await list('?limit=3&page=2')).toMatchObject({ limit: 3, offset: 3, items: [{ label: 'alpha' }], has_more: false })
    expect(await list('?limit=1&page=4&offset=1')).toMatchObject({ offset: 1, items: [{ label: 'charlie' }] })
    expect(await list('?limit=200&offset=7')).toMatchObject({ limit: 200, items: [], total: 4, next_cursor: null })
  })

  it.each([
    ['?sort=name', 'aBce'],
    ['?sort=name:desc', 'ecBa'],
    ['?sort=-name', 'ecBa'],
    ['?sort=createdAt', 'ecBa'],
    ['?sort=createdAt:asc', 'aBce'],
    ['?sort=updatedAt:asc', 'aBce'],
    ['?sort=constructor', 'ecBa'],
    ['?sort=-name:asc', 'ecBa'],
    ['?sort=name,id', 'ecBa'],
    ['?status=draft', 'a'],
    ['?status=scheduled', ''],
    ['?statuses=draft,sent', 'Ba'],
    ['?statuses=failed&status=draft', 'e'],
    ['?channel=sms', 'eB'],
    ['?search=A', 'cBa'],
    ['?search=100%25', 'B'],
    [`?search=${encodeURIComponent('οδος')}`, 'B'],
    [`?search=${encodeURIComponent('οδοσ')}`, 'B'],
    [`?search=${encodeURIComponent('ΔΟΣ')}`, 'B'],
    ['?search=_', 'e'],
    ['?search=', 'ecBa'],
    ['?archived=true', 'D'],
    ['?archived=1&status=cancelled', 'D'],
    ['?archived=0', 'ecBa'],
    ['?multiVariant=true', 'c'],
    ['?multiVariant=0', 'eBa'],
    ['?status=sent&channel=email', ''],
  ])('%s gives %s', async (query, wanted) => {
    const page = await list(query)
    expect(page.items.map(({ label }) => label[0]).join('')).toBe(wanted)
    expect(page.total).toBe(wanted.length)
  })

  it('are found by any of the tags, by id', async () => {
    const { spring, sale } = acme.applied.tags
    expect(await first(`?tagIds=${spring}`)).toBe('a')
    expect(await first(`?tagIds=${sale}`)).toBe('Ba')
    expect(await first(`?tagIds=${spring?.toUpperCase()},${UNKNOWN}`)).toBe('a')
    expect(await first(`?tagIds=${UNKNOWN}`)).toBe('')
  })

  it('are found by their list, and by an unknown one none is', async () => {
    expect(await first(`?segmentId=${acme.applied.lists.VIP}`)).toBe('ea')
    expect(await first(`?segmentId=${UNKNOWN}`)).toBe('')
  })

  it.each([
    ['?status=done', 'status must be one of the following values: draft, scheduled, sending, sent, paused, cancelled, failed'],
    [
      '?statuses=draft,',
      'each value in statuses must be one of the following values: draft, scheduled, sending, sent, paused, cancelled, failed',
    ],
    ['?channel=push', 'channel must be one of the following values: email, sms'],
    ['?tagIds=spring', 'each value in tagIds must be a UUID'],
    ['?tagIds=', 'each value in tagIds must be a UUID'],
    ['?segmentId=7', 'segmentId must be a UUID'],
    ['?archived=yes', 'archived must be a boolean value'],
    ['?multiVariant=2', 'multiVariant must be a boolean value'],
    [`?search=${'x'.repeat(256)}`, 'search must be shorter than or equal to 255 characters'],
    [`?sort=${'x'.repeat(65)}`, 'sort must be shorter than or equal to 64 characters'],
    ['?limit=201', 'limit must not be greater than 200'],
    ['?page=0', 'page must not be less than 1'],
    ['?page=45035996273705', 'page must not be greater than 45035996273704'],
    ['?tags=a', 'property tags should not exist'],
    ['?search=%00', 'Request contains invalid characters'],
  ])('%s is 400', async (query, message) => {
    expect(outcome(await acme.request('GET', `/public/campaigns${query}`))).toEqual(uncoded(400, message))
  })
})

it('a campaign that the file changes comes first', async () => {
  await world.apply(`workspace: { slug: acme, name: acme }
campaigns: [{ name: charlie, channel: email, variants: 1, tags: [spring] }]`)
  const page = await list()
  expect(page.items[0]).toMatchObject({ label: 'charlie', status: 'paused', value: acme.applied.campaigns.charlie })
  expect(await first('?multiVariant=true')).toBe('')
})

describe('campaigns that are scheduled', () => {
  const FILE = 'campaigns: [{ name: a, channel: sms }, { name: b, channel: sms }, { name: c, channel: sms }]'
  let planned: Client

  const schedule = async (name: string, at: string): Promise<void> => {
    const campaignId = asCampaignId(planned.applied.campaigns[name] ?? '')
    const { id } = planned.applied.workspace
    const { pool, log } = world.stores
    const operator = createProvisioner(createCommandRunner({ log, deadlineMs: PATIENT_MS }))
    const data = { campaignId, move: 'schedule', at, now: '2026-01-01T00:00:00.000Z' } as const
    await operator.execute(id, campaign, campaignStream(id, campaignId), { type: 'MoveCampaign', data })
    expect(await untilVisible(pool, operator.last(), { timeoutMs: 180_000 })).toBe(true)
  }
  const labels = async (query: string): Promise<string> => {
    const page = dataOf<Page<CampaignOption>>(await planned.request('GET', `/public/campaigns${query}`), 200)
    return page.items.map(({ label }) => label).join('')
  }

  beforeAll(async () => {
    planned = await world.workspace('planned', FILE)
    await schedule('a', '2100-01-02T00:00:00.000Z')
    await schedule('c', '2100-01-01T00:00:00.000Z')
  })

  it.each([
    ['?sort=scheduleAt', 'acb'],
    ['?sort=-scheduleAt', 'acb'],
    ['?sort=scheduleAt:asc', 'cab'],
    ['?status=scheduled&sort=name', 'ac'],
    ['?statuses=draft,sending', 'b'],
  ])('%s gives %s: those without a time come last', async (query, wanted) => {
    expect(await labels(query)).toBe(wanted)
  })
})
