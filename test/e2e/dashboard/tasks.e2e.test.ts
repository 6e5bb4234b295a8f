import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { profilesOf } from '../support/profiles.ts'
import { startWorld, type World } from '../support/world.ts'
import { templateTasks } from './template-tasks.cases.ts'

// The keyboard, and tasks of a support agent and a marketer by the mouse and by the keyboard alone.

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const AGENT = 'agent@keys.example'
const MARKETER = 'marketer@keys.example'
const FILE = `
users:
  - { email: ${AGENT}, password: correct horse battery, role: member }
  - { email: ${MARKETER}, password: correct horse battery, role: member }
lists: [{ name: Newsletter, type: static }]`

describe.runIf(chromium !== null)('somebody who works with the dashboard', () => {
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

  const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

  it('goes from row to row, opens one, goes back, and finds the filter and the list of keys', async () => {
    for (const name of ['Ann', 'Ben']) await profilesOf(client).create({ email: `${name}@rows.example`, firstName: name, lastName: 'Rows' })
    const { page, problems, close } = await openDashboard(browser, 'keys', WIDE)
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/keys/profiles?search=rows.example&sort=email%3Aasc' })
    await page.getByRole('link', { name: 'Ben Rows' }).waitFor()
    for (const [key, row] of [
      ['j', 'Ann Rows'],
      ['j', 'Ben Rows'],
      ['j', 'Ben Rows'],
      ['k', 'Ann Rows'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused(page)).toBe(row)
    }
    await page.keyboard.press('Enter')
    await titled(page, 'Ann Rows')
    await expect.poll(() => focused(page)).toBe('Ann Rows')
    await expect.poll(() => page.getByRole('status').allTextContents()).toContain('Ann Rows')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    // A dialog keeps the keys: Escape closes it, and the page stays.
    await page.keyboard.press('j')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await titled(page, 'Ann Rows')
    await page.keyboard.press('Escape')
    await titled(page, 'Profiles')
    await page.keyboard.press('/')
    const filter = page.getByRole('search').getByRole('textbox').first()
    expect(await filter.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
    // In a field each key is what one types.
    await page.keyboard.type('jk/?')
    expect(await filter.inputValue()).toBe('jk/?')
    await page.keyboard.press('Escape')
    await titled(page, 'Profiles')
    expect(problems).toEqual([])
    await close()
  })

  it('passes over the head by the first link, and finds by the place of K in a Hebrew layout', async () => {
    const { page, close } = await openDashboard(browser, 'skip', { ...WIDE, language: 'he' })
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/keys/lists' })
    await page.getByRole('link', { name: 'Newsletter' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('דילוג לתוכן')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate<boolean>('document.activeElement.closest("main") !== null')).toBe(true)
    const keyboard = await page.context().newCDPSession(page)
    const pressed = { key: 'ל', code: 'KeyK', windowsVirtualKeyCode: 75, modifiers: 2 }
    await keyboard.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed })
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
    await page.getByRole('combobox').waitFor()
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

  templateTasks(() => ({ world, client, browser, member: MARKETER, slug: 'keys' }))
})
