import { asContactId, asWorkspaceId } from '@tidings/domain'
import { erasePerson } from '@tidings/service/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { profilesOf } from '../support/profiles.ts'
import { startWorld, type World } from '../support/world.ts'

// The tasks of a support agent and an auditor with a person.

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const AGENT = 'agent@people.example'
const ADMIN = 'admin@people.example'
const FILE = `
users:
  - { email: ${AGENT}, password: correct horse battery, role: member }
  - { email: ${ADMIN}, password: correct horse battery, role: admin }
lists: [{ name: Newsletter, type: static }]
templates: [{ name: welcome, channel: email, subject: Welcome, html: "<p>Spring is here.</p>" }]`

describe.runIf(chromium !== null)('a person', () => {
  let world: World
  let client: Client
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    world = await startWorld()
    client = await world.workspace('people', FILE)
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  type By = Readonly<{ means?: 'mouse' | 'keys'; as?: string }>
  const opened = async (test: string, email: string, { means = 'mouse', as = AGENT }: By = {}) => {
    const dashboard = await openDashboard(browser, test, WIDE)
    const { page } = dashboard
    await openAs(page, { world, client, email: as, path: '/dashboard/w/people' })
    const counted = await clicks(page, means)
    await page.keyboard.press('Control+k')
    await counted.type(page.getByRole('combobox', { name: 'Email, phone or id' }), email)
    await page.getByRole('option', { name: new RegExp(email) }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Timeline' }).waitFor()
    return { ...dashboard, ...counted }
  }

  it.each(['mouse', 'keys'] as const)('got a message that said so, in two presses: %s', async (means) => {
    const email = `got-${means}@example.com`
    await profilesOf(client).create({ email, firstName: 'Noa' })
    const message = await client.send(email, { templateId: client.applied.templates.welcome, subject: undefined, html: undefined })
    await client.messageWith(message, 'sent', 'delivered')
    await client.shown()
    const { page, press, count, problems, close } = await opened(`got ${means}`, email, { means })
    await press(page.getByRole('link', { name: 'welcome' }))
    await page.getByRole('region', { name: 'Why' }).getByRole('listitem').first().waitFor()
    await page.frameLocator('iframe[title="As it looks"]').getByText('Spring is here.').waitFor()
    expect(await count()).toBe(2)
    expect(problems).toEqual([])
    await close()
  })

  it('was sent nothing where a channel is blocked, and two presses show who blocked it', async () => {
    const { id } = await profilesOf(client).create({ email: 'blocked@example.com', firstName: 'Noa' })
    await profilesOf(client).blacklist({ contactId: id, channel: 'email' })
    const message = await client.send('blocked@example.com', {
      templateId: client.applied.templates.welcome,
      subject: undefined,
      html: undefined,
    })
    await client.messageWith(message, 'suppressed')
    await client.shown()
    const { page, press, count, problems, close } = await opened('not sent', 'blocked@example.com')
    await press(page.getByRole('link', { name: 'welcome' }))
    const why = page.getByRole('region', { name: 'Why it was not sent' })
    await why.getByText('Somebody of the workspace has blocked the channel.').waitFor()
    await why.getByText('suppressed for email: global_blocklist').first().waitFor()
    expect(await count()).toBe(2)
    expect(problems).toEqual([])
    await close()
  })

  it('had agreed to what is said of a moment, in two presses, and cannot be edited then', async () => {
    const { id } = await profilesOf(client).create({ email: 'then@example.com', emailConsent: 'subscribed' })
    await profilesOf(client).patch(id, { emailConsent: 'unsubscribed' })
    const { page, press, count, problems, close } = await opened('then', 'then@example.com')
    await press(page.getByRole('tab', { name: 'Consent' }))
    await page.getByRole('table', { name: 'Statements' }).getByRole('row').nth(2).waitFor()
    expect(await count()).toBe(2)
    await page.getByRole('table', { name: 'Statements' }).getByRole('row').nth(2).getByRole('button').click()
    await page.getByText(/As it was on/).waitFor()
    await expect.poll(() => page.locator('dd').first().textContent()).toContain('subscribed')
    expect(new URL(page.url()).searchParams.get('at')).not.toBeNull()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('was called otherwise then, which is shown in three presses beside what it is now', async () => {
    const { id } = await profilesOf(client).create({ email: 'former@example.com', firstName: 'Nao' })
    await profilesOf(client).patch(id, { firstName: 'Noa' })
    const { page, press, count, problems, close } = await opened('former', 'former@example.com')
    await press(page.getByRole('tab', { name: 'Details' }))
    await press(page.getByRole('button', { name: 'Change before' }))
    await page.getByText(/As it was on/).waitFor()
    expect(await count()).toBe(3)
    await page.getByRole('button', { name: 'Change before' }).click()
    await page.getByText('now: Noa').waitFor()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Change before' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Next change' }).click()
    await page.getByText('now: Noa').waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    await close()
  })

  it('is proven by what an auditor downloads in three presses, of the moment that is shown', async () => {
    const { id } = await profilesOf(client).create({ email: 'proven@example.com', emailConsent: 'subscribed' })
    const { page, press, count, problems, close } = await opened('proven', 'proven@example.com', { as: ADMIN })
    await press(page.getByRole('tab', { name: 'Consent' }))
    await page.getByRole('table', { name: 'Statements' }).getByRole('row').nth(1).waitFor()
    const begun = page.waitForEvent('download')
    await press(page.getByRole('link', { name: 'Download the proof' }))
    expect((await begun).suggestedFilename()).toBe(`proof-${id}.zip`)
    expect(await count()).toBe(3)
    await page.getByRole('table', { name: 'Statements' }).getByRole('row').nth(1).getByRole('button').click()
    await page.getByText(/As it was on/).waitFor()
    expect(await page.getByRole('link', { name: 'Download the proof' }).getAttribute('href')).toMatch(/proof\?at=20/)
    expect(problems).toEqual([])
    await close()
  })

  it('is forgotten in four presses, once the address is typed, and a receipt says what went', async () => {
    const { id } = await profilesOf(client).create({ email: 'forgotten@example.com', firstName: 'Noa' })
    const { page, press, type, count, problems, close } = await opened('forgotten', 'forgotten@example.com', { as: ADMIN })
    await press(page.getByRole('button', { name: 'More' }))
    await page.getByRole('menuitem', { name: 'Export everything, to read' }).waitFor()
    await press(page.getByRole('menuitem', { name: 'Erase for ever' }))
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Erase for ever' }).isDisabled()).toBe(true)
    await type(dialog.getByRole('textbox'), 'forgotten@example.com')
    await press(dialog.getByRole('button', { name: 'Erase for ever' }))
    await page.getByRole('heading', { name: 'Receipt of an erasure' }).waitFor()
    await page.getByText(/It is being done|All is done/).waitFor()
    expect(await count()).toBe(4)
    const workspaceId = asWorkspaceId(client.applied.workspace.id)
    await erasePerson(world.stores, { workspaceId, contactId: asContactId(id) })
    await page.getByText('All is done').waitFor()
    await page.getByRole('table', { name: 'What went' }).getByText('lists', { exact: true }).waitFor()
    const begun = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the receipt' }).click()
    expect((await begun).suggestedFilename()).toBe(`erasure-${id}.json`)
    await page.getByRole('link', { name: 'Erasures' }).first().click()
    await page.getByRole('table', { name: 'Erasures' }).getByRole('link', { name: id }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('gets a corrected address in three presses', async () => {
    const { id } = await profilesOf(client).create({ email: 'wrnog@example.com', firstName: 'Noa' })
    const { page, press, type, count, problems, close } = await opened('correct', 'wrnog@example.com')
    await press(page.getByRole('button', { name: 'Edit' }))
    await type(page.getByRole('dialog').getByLabel('Email'), 'right@example.com')
    await press(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await client.shown()
    expect((await profilesOf(client).get(id)).email).toBe('right@example.com')
    expect(await count()).toBe(3)
    expect(problems).toEqual([])
    await close()
  })

  it('is put onto a list with others that are chosen, and the one that is gone is named', async () => {
    const ids = await Promise.all(['a', 'b'].map(async (name) => (await profilesOf(client).create({ email: `${name}@bulk.example` })).id))
    const { page, close } = await openDashboard(browser, 'bulk', WIDE)
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/people/profiles?search=bulk.example' })
    await page.getByRole('checkbox', { name: 'Choose all of this page' }).check()
    await page.getByRole('button', { name: 'Put onto a list' }).click()
    await page.route(`**/members`, (route) =>
      (route.request().postData() ?? '').includes(ids[1] ?? '') ? route.abort() : route.continue(),
    )
    await page.getByRole('dialog').getByRole('button', { name: 'Put onto a list' }).click()
    await page.getByText('Done for 1 profile.').waitFor()
    await page
      .getByRole('region', { name: /Not done for 1 profile/ })
      .getByRole('link', { name: 'b@bulk.example' })
      .waitFor()
    await close()
  })
})
