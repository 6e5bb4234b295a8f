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
const FILE = `
users: [{ email: ${AGENT}, password: correct horse battery, role: member }]
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

  const opened = async (test: string, email: string, means: 'mouse' | 'keys' = 'mouse') => {
    const dashboard = await openDashboard(browser, test, WIDE)
    const { page } = dashboard
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/people' })
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
    const { page, press, count, problems, close } = await opened(`got ${means}`, email, means)
    await press(page.getByRole('link', { name: 'welcome' }))
    await page.getByRole('region', { name: 'Why' }).getByRole('listitem').first().waitFor()
    await page.frameLocator('iframe[title="As it looks"]').getByText('Spring is here.').waitFor()
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

  it('gets a corrected address in three presses', async () => {
    const { id } = await profilesOf(client).create({ email: 'wrnog@example.com', firstName: 'Noa' })
    const { page, press, type, count, problems, close } = await opened('correct', 'wrnog@example.com')
    await press(page.getByRole('button', { name: 'Edit' }))
    await type(page.getByRole('dialog').getByLabel('Email'), 'right@example.com')
    await press(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
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
