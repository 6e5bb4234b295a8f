import type { ShownFlow } from '@tidings/contracts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from '../support/answers.ts'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { axeFindings, buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { listsOf } from '../support/lists.ts'
import { outboxOf } from '../support/outbox.ts'
import { profilesOf } from '../support/profiles.ts'
import { startWorld, type World } from '../support/world.ts'

// A marketer sends a campaign and stops a flow, by the mouse and by the keyboard alone, and looks what became of both.

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const MARKETER = 'marketer@spring.example'
const NAME = '<b>Spring</b> \u202Esale'
const FILE = `
users: [{ email: ${MARKETER}, password: correct horse battery, role: member }]
lists: [{ name: Newsletter, type: static }]
templates:
  - { name: spring, channel: email, subject: "Hi {{firstName}}", html: "<p>Spring is here, {{firstName}}.</p>" }
  - { name: late, channel: email, subject: "Late", html: "<p>Late</p>" }
campaigns:
  - { name: Waiting, channel: email, list: Newsletter, from: hello@spring.example, template: late }
  - { name: Done, channel: email, list: Newsletter, from: hello@spring.example, variants: [{ template: spring, weight: 1 }, { template: late, weight: 1 }] }
flows:
  - { name: Harm mouse, trigger: { type: custom_event, event: harm_mouse }, steps: [ { wait: { minutes: 60 } } ] }
  - { name: Harm keys, trigger: { type: custom_event, event: harm_keys }, steps: [ { wait: { minutes: 60 } } ] }
  - { name: Harmless, trigger: { type: custom_event, event: harmless }, steps: [ { wait: { minutes: 60 } } ] }`

describe.runIf(chromium !== null)('a marketer', () => {
  let world: World
  let client: Client
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    world = await startWorld()
    client = await world.workspace('spring', FILE)
    const noa = await profilesOf(client).create({ email: 'noa@spring-people.example', firstName: 'Noa', emailConsent: 'subscribed' })
    const dan = await profilesOf(client).create({ email: 'dan@spring-people.example', firstName: 'Dan' })
    const lists = listsOf(client)
    await lists.add(lists.id('Newsletter'), { contactIds: [noa.id, dan.id] })
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  it.each(['mouse', 'keys'] as const)(
    'sends a campaign to a list in five presses, and sees first what one person gets: %s',
    async (means) => {
      const name = `${NAME} ${means}`
      const { page, problems, close } = await openDashboard(browser, `campaign ${means}`, WIDE)
      await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/spring' })
      const { press, type, choose, count } = await clicks(page, means)
      await press(page.getByRole('link', { name: 'Campaigns', exact: true }))
      await press(page.getByRole('link', { name: 'New campaign' }).first())
      await type(page.getByRole('textbox', { name: 'Name' }), name)
      await choose(page.getByRole('combobox', { name: 'List' }), 'Newsletter')
      await page.getByText('1 of 2 members may get it').waitFor()
      await choose(page.getByRole('combobox', { name: 'Template' }), 'spring')
      await choose(page.getByRole('combobox', { name: 'From' }), 'hello@spring.example')
      await press(page.getByRole('button', { name: 'Save draft' }))
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await type(page.getByRole('textbox', { name: 'Person' }), 'noa@spring-people.example')
      await page.frameLocator('iframe[title="As it looks"]').getByText('Spring is here, Noa.').waitFor()
      await page.getByText('It would be sent now.').waitFor()
      await press(page.getByRole('button', { name: 'Start sending' }))
      await page.getByText('It goes to 1 person of 2 on the list.').waitFor()
      await press(page.getByRole('dialog').getByRole('button', { name: 'Start sending' }))
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('region', { name: 'Figures' }).getByText('100 %').waitFor()
      expect(await count()).toBe(5)
      const subjects = async () => (await outboxOf(client).list('?to=noa@spring-people.example')).map(({ subject }) => subject)
      await eventually(subjects, (sent) => sent.filter((subject) => subject === 'Hi Noa').length === (means === 'mouse' ? 1 : 2))
      expect(await outboxOf(client).list('?to=dan@spring-people.example')).toEqual([])
      expect(problems).toEqual([])
      await close()
    },
  )

  it.each(['mouse', 'keys'] as const)('stops a flow that does harm in three presses, and sees first to how many: %s', async (means) => {
    const happens = async (email: string) =>
      dataOf<Readonly<{ enrolled: number }>>(await client.request('POST', '/events/ingest', { event: `harm_${means}`, email }), 200)
    expect(await happens(`first-${means}@spring-people.example`)).toMatchObject({ enrolled: 1 })
    await client.shown()
    const { page, problems, close } = await openDashboard(browser, `flow ${means}`, WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/spring' })
    const { press, count } = await clicks(page, means)
    await press(page.getByRole('region', { name: 'Running now' }).getByRole('link', { name: `Harm ${means}` }))
    await page.getByRole('region', { name: 'Steps' }).getByText('1 inside · 0 passed · 0 left').waitFor()
    await press(page.getByRole('button', { name: 'Pause' }))
    await page.getByRole('dialog').getByText('1 run inside: nothing more is sent').waitFor()
    await press(page.getByRole('dialog').getByRole('button', { name: 'Pause' }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('paused', { exact: true }).waitFor()
    expect(await count()).toBe(3)
    await client.shown()
    expect(await happens(`late-${means}@spring-people.example`)).toMatchObject({ enrolled: 0 })
    expect(problems).toEqual([])
    await close()
  })

  it('builds a flow of twelve steps with two branches by the keyboard alone, and saves another version of it', async () => {
    const { page, problems, close } = await openDashboard(browser, 'flow editor', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/spring/flows' })
    const { press, type, choose, count } = await clicks(page, 'keys')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = (name: string) => page.getByRole('combobox', { name, exact: true })
    /** Adds a step by the button, and says what it does; its fields are the only ones that are shown. */
    const add = async (by: string, kind: 'wait' | 'email' | 'branch', number: number): Promise<void> => {
      await press(button(by))
      await button(`Close step ${number}`).waitFor()
      if (kind !== 'wait') await choose(field('What it does'), kind)
      if (kind !== 'email') return
      await choose(field('Template'), 'spring')
      await choose(field('From'), 'hello@spring.example')
    }
    const wait = async (by: string, number: number, hours: string): Promise<void> => {
      await add(by, 'wait', number)
      await type(page.getByRole('textbox', { name: 'How long' }), hours)
      await choose(field('Unit'), 'hour')
    }
    const askFirstName = async (value: string): Promise<void> => {
      await choose(field('Field'), 'firstName')
      await type(page.getByRole('textbox', { name: 'Value' }), value)
    }
    await press(page.getByRole('link', { name: 'New flow' }))
    await type(page.getByRole('textbox', { name: 'Name' }), NAME)
    await choose(field('Begins with'), 'list_joined')
    await choose(field('List'), 'Newsletter')
    await add('Add a step', 'email', 1)
    await wait('Add a step after step 1', 2, '2')
    await add('Add a step after step 2', 'branch', 3)
    await askFirstName('Noa')
    await add('Add a step: Where it matches, step 3', 'email', 4)
    await wait('Add a step after step 4', 5, '5')
    await wait('Add a step: Otherwise, step 3', 6, '6')
    await add('Add a step after step 3', 'branch', 7)
    await askFirstName('Dan')
    await wait('Add a step: Where it matches, step 7', 8, '8')
    await add('Add a step after step 8', 'email', 9)
    await add('Add a step: Otherwise, step 7', 'email', 10)
    await wait('Add a step after step 7', 11, '11')
    await add('Add a step after step 11', 'wait', 12)
    await type(page.getByRole('textbox', { name: 'How long' }), 'a day')
    await press(button('Create flow'))
    await page.getByRole('alert').getByText('Some steps are not complete.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await type(page.getByRole('textbox', { name: 'How long' }), '12')
    await choose(field('Unit'), 'hour')
    await press(button('Create flow'))
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
    expect(await count()).toBe(15)
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const address = `${world.url}/api/v1/dashboard/flows/${id}`
    const stored = async (): Promise<ShownFlow> =>
      page.evaluate(async (at) => ((await (await fetch(at)).json()) as Readonly<{ data: ShownFlow }>).data, address)
    const described = ({ steps }: ShownFlow) =>
      steps.map(({ path, minutes, template, rule }) => `${path} ${minutes ?? template?.name ?? JSON.stringify(rule)}`)
    const first = await stored()
    expect(first).toMatchObject({ name: NAME, version: 1, trigger: { type: 'list_joined', list: { name: 'Newsletter' } } })
    const asks = (value: string) => `{"all":[{"field":"firstName","op":"eq","value":"${value}"}]}`
    expect(described(first)).toEqual([
      ...[
        'steps[0] spring',
        'steps[1] 120',
        `steps[2] ${asks('Noa')}`,
        'steps[2].then[0] spring',
        'steps[2].then[1] 300',
        'steps[2].else[0] 360',
      ],
      ...[
        `steps[3] ${asks('Dan')}`,
        'steps[3].then[0] 480',
        'steps[3].then[1] spring',
        'steps[3].else[0] spring',
        'steps[4] 660',
        'steps[5] 720',
      ],
    ])
    await press(page.getByRole('link', { name: 'Change trigger and steps' }))
    await press(button('Move step 12 up'))
    await page.getByText('It is step 11 now.').waitFor()
    // The button that was pressed has the focus: the step goes on, into the arm above it.
    await page.keyboard.press('Enter')
    await page.getByText('It is step 11 now.').waitFor()
    await press(button('Remove step 2'))
    await page.getByText('Step 2 was removed.').waitFor()
    // Somebody stops the flow meanwhile, which stays so.
    const pause = async ([at, etag]: readonly [string, string]) =>
      (await fetch(`${at}/pause`, { method: 'POST', headers: { 'if-match': `"${etag}"`, 'idempotency-key': crypto.randomUUID() } })).status
    expect(await page.evaluate(pause, [address, first.etag] as const)).toBe(200)
    await press(button('Save as a new version'))
    await page.getByRole('alert').getByText('Somebody changed this meanwhile').waitFor()
    await press(button('Save mine over it'))
    await page.getByRole('heading', { level: 1, name: NAME, exact: true }).waitFor()
    const second = await stored()
    expect(second).toMatchObject({ version: 2, status: 'paused' })
    expect(described(second).slice(5)).toEqual([
      ...[
        `steps[2] ${asks('Dan')}`,
        'steps[2].then[0] 480',
        'steps[2].then[1] spring',
        'steps[2].else[0] spring',
        'steps[2].else[1] 720',
        'steps[3] 660',
      ],
    ])
    expect(problems.filter((problem) => !problem.includes('status of 409'))).toEqual([])
    await close()
  })

  it('sees before it is saved what a flow would do for somebody', async () => {
    const path = `/dashboard/w/spring/flows/${client.applied.flows.Harmless}/edit`
    const { page, problems, close } = await openDashboard(browser, 'flow tried', WIDE)
    await openAs(page, { world, client, email: MARKETER, path })
    await page.getByRole('button', { name: 'Try these steps' }).click()
    const trial = page.getByRole('region', { name: 'What would happen' })
    const way = trial.getByRole('list', { name: 'What would happen' })
    await trial.getByRole('textbox', { name: 'First name' }).fill('Dan')
    await trial.getByRole('textbox', { name: 'Custom properties (JSON)' }).fill('{"size": 42}')
    await trial.getByRole('button', { name: 'Try', exact: true }).click()
    await trial.getByText('The flow would let the person in.').waitFor()
    await way.getByText('Waits 1 hour.').waitFor()
    await page.getByText('on the way').waitFor()
    await page.getByRole('button', { name: 'Add a step after step 1' }).click()
    // The answer was not of these steps.
    await way.waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'What it does' }).selectOption('email')
    await page.getByRole('combobox', { name: 'Template' }).selectOption({ label: 'spring' })
    await page.getByRole('combobox', { name: 'From', exact: true }).selectOption('hello@spring.example')
    await trial.getByRole('button', { name: 'Try', exact: true }).click()
    await trial.getByText('The person would come to the end of the flow.').waitFor()
    await way.getByText('Step 2: Sends the email Hi Dan to ada@example.com from hello@spring.example').waitFor()
    await page.getByRole('button', { name: 'Add a step after step 2' }).click()
    await page.getByRole('combobox', { name: 'What it does' }).selectOption('branch')
    await page.getByRole('combobox', { name: 'Field', exact: true }).selectOption('firstName')
    await page.getByRole('textbox', { name: 'Value' }).fill('Noa')
    await page.getByText(/^1 of \d+ contacts match\.$/).waitFor()
    await page.getByRole('list', { name: 'Some of them' }).getByRole('link', { name: 'Noa' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('keeps what is typed while a save is on its way, and saves it then', async () => {
    const id = client.applied.flows['Harm keys'] ?? ''
    const { page, problems, close } = await openDashboard(browser, 'typed while saved', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: `/dashboard/w/spring/flows/${id}/edit` })
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`**/api/v1/dashboard/flows/${id}`, async (route) => {
      if (route.request().method() === 'PUT') {
        begun.resolve()
        await held.promise
      }
      await route.continue()
    })
    const event = page.getByRole('textbox', { name: 'Name of the event' })
    const save = page.getByRole('button', { name: 'Save as a new version' })
    await event.fill('harm_typed')
    await save.click()
    await begun.promise
    await event.fill('harm_typed_later')
    held.resolve()
    await page.getByText('What you typed since then is not saved yet.').waitFor()
    expect(await event.inputValue()).toBe('harm_typed_later')
    await save.click()
    await page.getByRole('heading', { level: 1, name: 'Harm keys', exact: true }).waitFor()
    await page.getByText('harm_typed_later').first().waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('sees in two presses who did what with which wording', async () => {
    const path = `/dashboard/campaigns/${client.applied.campaigns.Done}`
    const { page, problems, close } = await openDashboard(browser, 'campaign figures', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: `/dashboard/w/spring${path.replace('/dashboard', '')}` })
    await page.getByRole('button', { name: 'Start sending' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start sending' }).click()
    await page.getByRole('region', { name: 'Figures' }).getByText('100 %').waitFor()
    await page.goto(`${world.url}/dashboard/w/spring`)
    const { press, count } = await clicks(page)
    await press(page.getByRole('link', { name: 'Campaigns', exact: true }))
    await press(page.getByRole('link', { name: 'Done', exact: true }))
    const wordings = page.getByRole('table', { name: 'Wordings' })
    await wordings.getByRole('row', { name: /spring/ }).waitFor()
    await wordings.getByRole('row', { name: /late/ }).waitFor()
    await page.getByText('No wording is ahead.').waitFor()
    expect(await count()).toBe(2)
    const people = page.getByRole('region', { name: 'People' })
    const outcomes = people.getByRole('combobox', { name: 'What became of it' })
    await outcomes.selectOption('clicked')
    await people.getByText('No message of this campaign has come to this.').waitFor()
    await outcomes.selectOption('sent')
    await people.getByRole('link', { name: 'Noa' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor()
    await page.getByRole('link', { name: 'Done', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Done' }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('schedules a campaign for a time in a zone, and makes it a draft again', async () => {
    const { page, problems, close } = await openDashboard(browser, 'campaign schedule', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: `/dashboard/w/spring/campaigns/${client.applied.campaigns.Waiting}` })
    await page.getByRole('button', { name: 'Schedule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin')
    // The last Sunday of March, at which the clocks of Berlin go from two to three.
    await dialog.getByLabel(/^Time( \*)?$/).fill('2099-03-29T02:30')
    await dialog.getByText('The clocks of this zone leave this time out.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Schedule' }).isDisabled()).toBe(true)
    await dialog.getByLabel(/^Time( \*)?$/).fill('2099-03-29T09:30')
    await dialog.getByRole('button', { name: 'Schedule' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('scheduled', { exact: true }).waitFor()
    await world.settle()
    const stored = await world.stores.pool.query<{ schedule_at: Date }>('select schedule_at from read.campaigns where id = $1', [
      client.applied.campaigns.Waiting,
    ])
    expect(stored.rows[0]?.schedule_at.toISOString()).toBe('2099-03-29T07:30:00.000Z')
    await page.getByRole('button', { name: 'Back to draft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Back to draft' }).click()
    await page.getByText('draft', { exact: true }).waitFor()
    expect(problems).toEqual([])
    await close()
  })
})
