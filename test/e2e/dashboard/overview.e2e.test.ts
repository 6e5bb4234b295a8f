import type { Checklist, ExampleData, Figures, Overview } from '@tidings/contracts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paths } from '../../../dashboard/src/paths.ts'
import { coded, dataOf, outcome } from '../support/answers.ts'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { axeFindings, buildPages, LOOKS, openAs, openDashboard, overflowOf } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { profilesOf } from '../support/profiles.ts'
import { storedEvents } from '../support/stored-log.ts'
import { call, newLink, type Session, sessionOf } from '../support/users.ts'
import { startWorld, type World } from '../support/world.ts'

const FILE = `users:
  - { email: owner@o.example, password: correct horse battery, role: owner }
  - { email: member@o.example, password: correct horse battery, role: member }
lists: [{ name: Newsletter, type: static }]`
const FLOW = `
templates: [{ name: hi, channel: email, subject: Hi, html: "<p>Hi</p>" }]
flows: [{ name: Welcome, trigger: { type: contact_created }, steps: [{ wait: { minutes: 5 } }] }]`

const chromium = chromiumOrLeftOut()
let world: World
let acme: Client
let busy: Client
let owner: Session
let member: Session
let busyOwner: Session
let browser: Browser | undefined

const signedIn = async (client: Client, email: string): Promise<Session> =>
  sessionOf(
    world.url,
    await call(world.url, 'POST /auth/link', { body: { token: await newLink(world.stores, client, email) } }),
    world.settle,
  )

beforeAll(async () => {
  await buildPages()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  acme = await world.workspace('over', FILE)
  busy = await world.workspace('over-2', `${FILE.replaceAll('o.example', 'p.example')}${FLOW}`)
  ;[owner, member, busyOwner] = await Promise.all([
    signedIn(acme, 'owner@o.example'),
    signedIn(acme, 'member@o.example'),
    signedIn(busy, 'owner@p.example'),
  ])
  if (chromium !== null) browser = await launch(chromium)
})
afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
/** A period around now, so that midnight does not matter. */
const WEEK = `from=${day(-5)}&to=${day(1)}`
const figures = async (session: Session): Promise<Figures> => dataOf<Figures>(await session.call(`GET /dashboard/figures?${WEEK}`), 200)
const overview = async (session: Session): Promise<Overview> => dataOf<Overview>(await session.call('GET /dashboard/overview'), 200)
const ticked = async (session: Session): Promise<readonly string[]> =>
  dataOf<Checklist>(await session.call('GET /dashboard/checklist'), 200).items.flatMap(({ step, done }) => (done ? [step] : []))

describe('the figures', () => {
  it('of a workspace with nothing are zeros, for every step', async () => {
    const { steps, totals, consents } = await figures(busyOwner)
    expect([steps.length, Object.values(totals).every((one) => one === 0)]).toEqual([7, true])
    expect(consents.map(({ channel, now, values }) => [channel, now, values.length])).toEqual([
      ['email', 0, 7],
      ['sms', 0, 7],
      ['push', 0, 7],
    ])
  })

  it('count what was sent and agreed to, of this workspace alone', async () => {
    await profilesOf(acme).create({ email: 'noa@people.example', emailConsent: 'subscribed' })
    await profilesOf(acme).create({ email: 'no@people.example', emailConsent: 'unsubscribed' })
    await acme.messageWith(await acme.send('noa@people.example', { subject: 'Hi', html: '<p>Hi</p>' }), 'sent')
    const seen = await eventually(
      () => figures(owner),
      ({ totals, consents }) => totals.sent === 1 && consents[0]?.now === 1,
    )
    expect(seen.totals).toMatchObject({ accepted: 1, sent: 1, bounced: 0 })
    expect(seen.consents[0]).toMatchObject({ channel: 'email', now: 1, change: 1 })
    expect(seen.consents[0]?.values.at(-1)).toBe(1)
    expect(seen.steps.reduce((sum, { sent }) => sum + sent, 0)).toBe(1)
    expect((await figures(busyOwner)).totals.sent).toBe(0)
  })

  it('are answered 304 while nothing happens, and to no other session', async () => {
    const route = `GET /dashboard/figures?${WEEK}`
    const repeat = async () => {
      const first = await owner.call(route)
      const etag = first.headers.get('etag') ?? ''
      const again = await owner.call(route, { headers: { 'If-None-Match': etag } })
      return { etag, status: again.status }
    }
    // The checkpoint moves behind the events of others too: it comes to rest.
    const { etag } = await eventually(repeat, ({ status }) => status === 304)
    for (const session of [member, busyOwner]) expect((await session.call(route, { headers: { 'If-None-Match': etag } })).status).toBe(200)
  })

  it.each([
    '',
    '?from=2026-01-01',
    `?from=2016-01-01&to=2026-01-01`,
    '?from=2026-02-30&to=2026-03-01',
    `?${WEEK}&zone=Mars`,
    `?${WEEK}&step=week`,
  ])('of no period are refused: %s', async (query) => {
    expect((await owner.call(`GET /dashboard/figures${query}`)).status).toBe(400)
  })
})

describe('what needs somebody', () => {
  it('has webhooks and dead letters for admins alone', async () => {
    expect(
      (await acme.request('POST', '/public/webhooks', { url: 'http://127.0.0.1:9/crm', events: ['contact.created'], label: 'CRM' })).status,
    ).toBe(201)
    const { stores } = world
    await stores.pool.query(
      `insert into ops.dead_letter (source, consumer, workspace_id, reference, error_class, error) values ('event', 'test', $1, 'a', 'Error', 'b')`,
      [acme.applied.workspace.id],
    )
    const seen = await eventually(
      () => overview(owner),
      ({ webhooks }) => webhooks?.length === 1,
    )
    expect(seen.webhooks).toMatchObject([{ name: 'CRM', active: true }])
    expect(seen.attention).toContainEqual({ kind: 'dead_letters', id: null, name: null, count: 1, of: null })
    const own = await overview(member)
    expect([
      own.webhooks,
      own.attention.map(({ kind }) => kind).filter((kind) => kind === 'dead_letters' || kind.startsWith('webhook')),
    ]).toEqual([null, []])
    expect((await overview(busyOwner)).attention.map(({ kind }) => kind)).not.toContain('dead_letters')
  })
})

describe('example data', () => {
  const make = async (session: Session, key: string) =>
    session.call('POST /dashboard/examples', { body: {}, headers: { 'Idempotency-Key': key } })

  it('is made once, by ordinary commands, and sends nothing', async () => {
    expect(outcome(await make(member, 'a'))).toEqual(coded(403, 'role_required'))
    const sent = (await figures(owner)).totals.accepted
    const first = dataOf<ExampleData>(await make(owner, 'b'), 200)
    expect(first.contacts).toHaveLength(3)
    const events = (await storedEvents(world.stores.store)).length
    const again = dataOf<ExampleData>(await make(owner, 'c'), 200)
    expect(again).toEqual({ ...first, made: 0 })
    expect((await storedEvents(world.stores.store)).length).toBe(events)
    const [, , no = ''] = first.contacts
    expect(dataOf(await owner.call(`GET /dashboard/profiles/${no}`), 200)).toMatchObject({ emailConsent: 'unsubscribed' })
    expect((await figures(owner)).totals.accepted).toBe(sent)
  })

  it('is refused where a flow would send to its people', async () => {
    const before = (await storedEvents(world.stores.store)).length
    expect(outcome(await make(busyOwner, 'd'))).toEqual(coded(409, 'flow_takes_new_contacts'))
    expect((await storedEvents(world.stores.store)).length).toBe(before)
  })
})

it('the first steps tick themselves', async () => {
  const done = await eventually(
    () => ticked(owner),
    (steps) => steps.includes('see') && steps.includes('webhook'),
  )
  expect(done).toEqual(['send', 'see', 'webhook', 'invite', 'key'].filter((step) => done.includes(step)))
  expect(await ticked(busyOwner)).not.toContain('send')
})

describe.runIf(chromium !== null)('the overview', () => {
  it('shows figures, charts and the same as tables, in each look, with nothing broken', async () => {
    if (browser === undefined) throw new Error('there is no browser')
    for (const looks of LOOKS) {
      const { page, problems, close } = await openDashboard(browser, 'overview', looks)
      await openAs(page, { world, client: acme, email: 'owner@o.example', path: '/dashboard' })
      await page.getByRole('img').first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/dashboard/w/over')
      const [hook] = (await overview(owner)).webhooks ?? []
      expect(await page.getByRole('link', { name: 'CRM', exact: true }).getAttribute('href')).toBe(paths.webhook('over', hook?.id ?? ''))
      expect(await axeFindings(page)).toEqual([])
      const toggle = page.locator('button[aria-pressed]').first()
      await toggle.click()
      await page.getByRole('table').first().waitFor()
      expect(await page.getByRole('table').first().locator('tbody tr').count()).toBe(30)
      expect(await axeFindings(page)).toEqual([])
      expect(await overflowOf(page)).toBe(0)
      expect(problems).toEqual([])
      await close()
    }
  })

  it('is closed to first steps that were closed, and keeps period and zone in its address', async () => {
    if (browser === undefined) throw new Error('there is no browser')
    const { page, close } = await openDashboard(browser, 'overview-steps', { width: 1280, scheme: 'light', language: 'en' })
    await openAs(page, { world, client: acme, email: 'member@o.example', path: '/dashboard/w/over?days=7&zone=Asia%2FKolkata' })
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.waitFor()
    expect(await steps.getByRole('button', { name: 'Put example data in' }).isDisabled()).toBe(true)
    await steps.getByRole('button', { name: 'Close' }).click()
    await steps.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Kolkata')
    await page.getByLabel('Period').selectOption('1')
    await page.getByRole('region', { name: 'Messages by hour' }).waitFor()
    expect(page.url()).toContain('days=1')
    await page.reload()
    await page.getByRole('region', { name: 'Messages by hour' }).waitFor()
    expect(await steps.count()).toBe(0)
    await close()
  })
})
