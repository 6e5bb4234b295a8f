import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { profilesOf } from '../support/profiles.ts'
import { startWorld, type World } from '../support/world.ts'

// The keyboard, and tasks of a support agent by the mouse and by the keyboard alone.

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const AGENT = 'agent@keys.example'
const FILE = `
users: [{ email: ${AGENT}, password: correct horse battery, role: member }]
lists: [{ name: Newsletter, type: static }]`

describe.runIf(chromium !== null)('a support agent', () => {
  let world: World
  let client: Client
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    world = await startWorld()
    client = await world.workspace('keys', FILE)
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  it.each(['mouse', 'keys'] as const)('finds a person and blocks a channel in three presses: %s', async (means) => {
    const { id } = await profilesOf(client).create({ email: `noa-${means}@example.com`, firstName: 'Noa' })
    const { page, problems, close } = await openDashboard(browser, `block ${means}`, WIDE)
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/keys' })
    const { press, type, count } = await clicks(page, means)
    await page.keyboard.press('Control+k')
    await type(page.getByRole('combobox', { name: 'Email, phone or id' }), `noa-${means}@example.com`)
    await page.getByRole('option', { name: new RegExp(`noa-${means}`) }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Noa' }).waitFor()
    await press(page.getByRole('button', { name: 'Block email' }))
    await press(page.getByRole('dialog').getByRole('button', { name: 'Block email' }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Unblock email' }).waitFor()
    expect((await profilesOf(client).get(id)).emailSuppressed).toBe(true)
    expect(await count()).toBe(3)
    expect(problems).toEqual([])
    await close()
  })

  it('is refused a mouse where the task is done by the keyboard alone', async () => {
    const { page, close } = await openDashboard(browser, 'mouse refused', WIDE)
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/keys' })
    const { press, count } = await clicks(page, 'keys')
    await press(page.getByRole('link', { name: 'Lists' }))
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor()
    expect(await count()).toBe(1)
    await page.getByRole('link', { name: 'Messages' }).click()
    await expect(count()).rejects.toThrow('the mouse was used')
    await close()
  })
})
