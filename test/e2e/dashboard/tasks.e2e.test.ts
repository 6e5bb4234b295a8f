import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { axeFindings, buildPages, openAs, openDashboard } from '../support/dashboard.ts'
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
lists: [{ name: Newsletter, type: static }, { name: Hebrew speakers, type: dynamic, rule: { all: [{ field: locale, op: eq, value: he }] } }]`

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

  it.each(['mouse', 'keys'] as const)('makes a list by a rule in four presses, with its number while they type: %s', async (means) => {
    for (const name of ['Lea', 'Leo', 'Max'])
      await profilesOf(client).create({ email: `${name}@${means}.example`, firstName: `${name} ${means}`, locale: 'he' })
    const { page, problems, close } = await openDashboard(browser, `list rule ${means}`, WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys' })
    const { press, type, choose, count } = await clicks(page, means)
    await press(page.getByRole('link', { name: 'Lists' }))
    await press(page.getByRole('link', { name: 'New list by a rule' }))
    await type(page.getByRole('textbox', { name: 'Name' }), `Le by ${means}`)
    const condition = (place: string) => page.getByRole('group', { name: `Condition ${place}` })
    await choose(condition('1').getByRole('combobox', { name: 'Field' }), 'firstName')
    await choose(condition('1').getByRole('combobox', { name: 'Comparison' }), 'contains')
    await type(condition('1').getByRole('textbox', { name: 'Value' }), means)
    const matches = page.getByRole('region', { name: 'Who matches' })
    await matches.getByText(/^3 of \d+ contacts match\.$/).waitFor()
    await press(page.getByRole('button', { name: 'Add a condition: Contacts for whom' }))
    await choose(condition('2').getByRole('combobox', { name: 'Field' }), 'firstName')
    await choose(condition('2').getByRole('combobox', { name: 'Comparison' }), 'contains')
    await type(condition('2').getByRole('textbox', { name: 'Value' }), 'Le')
    await matches.getByText(/^2 of \d+ contacts match\.$/).waitFor()
    await matches.getByRole('link', { name: `Lea ${means}` }).waitFor()
    await press(page.getByRole('button', { name: 'Create list' }))
    await page.getByRole('heading', { level: 1, name: `Le by ${means}` }).waitFor()
    expect(await count()).toBe(4)
    await page
      .getByRole('table', { name: 'Members' })
      .getByRole('row', { name: new RegExp(`Leo ${means}`) })
      .waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('makes a list in three presses, under a name that is free, and adds to it', async () => {
    const { page, problems, close } = await openDashboard(browser, 'static list', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys' })
    const { press, type, count } = await clicks(page)
    await press(page.getByRole('link', { name: 'Lists' }))
    await press(page.getByRole('button', { name: 'New list' }))
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
    await type(name, 'Newsletter')
    await page.keyboard.press('Enter')
    await page.getByText('A list with this name already exists').waitFor()
    await type(name, 'לקוחות')
    await press(page.getByRole('button', { name: 'Create list' }))
    await titled(page, 'לקוחות')
    // One more for the name that was taken.
    expect(await count()).toBe(3 + 1)
    await page.getByRole('button', { name: 'Add members' }).waitFor()
    expect(problems.filter((problem) => !problem.includes('status of 409'))).toEqual([])
    await close()
  })

  it('writes the rule of a list as JSON, and restores the one before', async () => {
    const { page, problems, close } = await openDashboard(browser, 'list history', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys/lists' })
    await page.getByRole('link', { name: 'Hebrew speakers' }).click()
    await page.getByRole('link', { name: 'Change the rule' }).click()
    await page.getByRole('button', { name: 'As JSON' }).click()
    const json = page.getByRole('textbox', { name: 'Rule as JSON' })
    await json.fill('{ "any": [] }')
    await page.getByText('rule.any must be a list with at least one condition').waitFor()
    expect(await page.getByRole('button', { name: 'Save rule' }).isDisabled()).toBe(true)
    await json.fill('{ "any": [{ "field": "locale", "op": "in", "value": ["he", "iw"] }] }')
    await page.getByRole('button', { name: 'As a form' }).click()
    expect(await page.getByRole('textbox', { name: 'Values, one in each line' }).inputValue()).toBe('he\niw')
    // The first answer is lost on its way: the second press is the same save.
    const lost: string[] = []
    await page.route('**/dashboard/lists/*', async (route) => {
      if (route.request().method() !== 'PUT' || lost.length > 0) return route.continue()
      lost.push(route.request().url())
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByRole('alert').getByText('could not be reached').waitFor()
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('is one of').waitFor()
    await page.getByRole('button', { name: 'Compare: 1' }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByRole('cell', { name: 'version 1 again' }).waitFor()
    // Somebody changes the rule; the page, which asks again, restores the version once more.
    const status = await page.evaluate(async (address) => {
      const { data } = (await (await fetch(address)).json()) as Readonly<{ data: Readonly<{ etag: string }> }>
      const headers = { 'Content-Type': 'application/json', 'If-Match': `"${data.etag}"` }
      const body = JSON.stringify({ rule: { field: 'firstName', op: 'exists', value: true } })
      return (await fetch(address, { method: 'PUT', headers, body })).status
    }, lost[0] ?? '')
    expect(status).toBe(200)
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await expect.poll(() => page.getByRole('cell', { name: 'version 1 again' }).count()).toBe(2)
    expect(problems).toEqual(['Failed to load resource: net::ERR_FAILED'])
    await close()
  })

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
    // The title takes the focus when it is shown: a key that comes earlier loses it.
    await expect.poll(() => focused(page)).toBe('Profiles')
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

  it('has the focus on the title of a record, however late that is read', async () => {
    const { id } = await profilesOf(client).create({ email: 'late@title.example', firstName: 'Late', lastName: 'Title' })
    const { page, close } = await openDashboard(browser, 'late title', WIDE)
    await page.clock.install()
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/keys/profiles?search=title.example' })
    const mayGo = Promise.withResolvers<void>()
    await page.route(`**/dashboard/profiles/${id}`, async (route) => {
      await mayGo.promise
      await route.continue()
    })
    await page.getByRole('link', { name: 'Late Title' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profile', exact: true }).waitFor()
    for (let seconds = 0; seconds < 20; seconds += 4) await page.clock.fastForward(4_000)
    mayGo.resolve()
    await titled(page, 'Late Title')
    await expect.poll(() => focused(page)).toBe('Late Title')
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

  it('opens dialogs and menus in which axe finds nothing', async () => {
    const { page, close } = await openDashboard(browser, 'dialogs', WIDE)
    await openAs(page, { world, client, email: AGENT, path: '/dashboard/w/keys/lists' })
    const found: string[] = []
    const look = async (name: string, role: 'dialog' | 'menu' = 'dialog') => {
      await page.getByRole(role).waitFor()
      found.push(...(await axeFindings(page)).map((one) => `${name}: ${one}`))
      await page.keyboard.press('Escape')
      await page.getByRole(role).waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Control+k')
    await look('find')
    await page.keyboard.press('?')
    await look('keys')
    await page.getByRole('button', { name: /^Account/ }).click()
    await look('account', 'menu')
    await page.getByRole('link', { name: 'Newsletter' }).click()
    await page.getByRole('button', { name: 'Add members' }).click()
    await look('form')
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByRole('button', { name: 'Menu' }).click()
    await look('drawer')
    expect(found).toEqual([])
    await close()
  })

  it('is asked before the page leaves what they typed for the sign-in', async () => {
    const { page, close } = await openDashboard(browser, 'typed', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys/lists/new' })
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.click()
    await name.fill('Half a list')
    await page.getByRole('textbox', { name: 'Value' }).fill('subscribed')
    // A press ends when what it began is answered, so the question is answered while the press waits; the count of who matches may be the first to ask it.
    const asked = Promise.withResolvers<string>()
    page.on('dialog', async (question) => {
      await question.dismiss()
      asked.resolve(question.type())
    })
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create list' }).click()
    expect(await asked.promise).toBe('beforeunload')
    expect(await name.inputValue()).toBe('Half a list')
    await close()
  })

  it('is asked before a link or the back button leaves what they typed', async () => {
    const { page, close } = await openDashboard(browser, 'left', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys/lists' })
    await page.getByRole('link', { name: 'New list by a rule' }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Half a list')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('navigation').getByRole('link', { name: 'Templates' }).click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await name.inputValue()).toBe('Half a list')
    await page.evaluate('history.back()')
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor()
    await close()
  })

  it('is asked once before they sign out of what they typed', async () => {
    const { page, close } = await openDashboard(browser, 'signed out', WIDE)
    const asked: string[] = []
    page.on('dialog', (question) => {
      asked.push(question.type())
      void question.accept()
    })
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys/lists/new' })
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.click()
    await name.fill('Half a list')
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await signOut()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await name.inputValue()).toBe('Half a list')
    await signOut()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/dashboard\/login/)
    expect(asked).toEqual([])
    await close()
  })

  it('changes nothing in the workspace that another tab has signed in to', async () => {
    const other = await world.workspace('keys-two', `users: [{ email: ${MARKETER}, password: correct horse battery, role: member }]`)
    const { page, close } = await openDashboard(browser, 'two tabs', WIDE)
    await openAs(page, { world, client, email: MARKETER, path: '/dashboard/w/keys/templates' })
    await page.getByRole('button', { name: 'New template' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('For the first workspace')
    const tab = await page.context().newPage()
    await openAs(tab, { world, client: other, email: MARKETER, path: '/dashboard/w/keys-two/templates' })
    await page.getByRole('dialog').getByRole('button', { name: 'Create template' }).click()
    await page.getByRole('alert').getByText('The page shows another workspace').waitFor()
    await tab.reload()
    await tab.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    expect(await tab.getByText('For the first workspace').count()).toBe(0)
    await close()
  })

  templateTasks(() => ({ world, client, browser, member: MARKETER, slug: 'keys' }))
})
