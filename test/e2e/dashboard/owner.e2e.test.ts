import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { call } from '../support/users.ts'
import { startWorld, type World } from '../support/world.ts'
import { operatorTasks } from './operator-tasks.cases.ts'
import { settingsCases } from './settings.cases.ts'

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const OWNER = 'owner@people.example'
const ADMIN = 'admin@people.example'
const FILE = `credits: 500
users:
  - { email: ${OWNER}, password: correct horse battery, role: owner }
  - { email: ${ADMIN}, password: correct horse battery, role: admin }`

describe.runIf(chromium !== null)('the people of a workspace', () => {
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

  const INVITED = 'new@people.example'
  const opened = async (test: string, email: string) => {
    const { page, problems, close } = await openDashboard(browser, test, WIDE)
    await openAs(page, { world, client, email, path: '/dashboard/w/people' })
    return { page, problems, close, ...(await clicks(page)) }
  }
  const signsIn = async (url: string) => (await call(world.url, 'POST /auth/link', { body: { token: new URL(url).hash.slice(1) } })).status

  it('are invited, changed and removed by an owner in three presses each', async () => {
    const invite = await opened('people invite', OWNER)
    await invite.press(invite.page.getByRole('link', { name: 'People', exact: true }))
    await invite.press(invite.page.getByRole('button', { name: 'Invite somebody' }))
    await invite.type(invite.page.getByRole('textbox', { name: 'Email' }), INVITED)
    await invite.press(invite.page.getByRole('button', { name: 'Invite', exact: true }))
    const url = ((await invite.page.getByRole('region', { name: 'A link that signs in once' }).locator('pre').textContent()) ?? '').trim()
    expect(await invite.count()).toBe(3)
    await invite.page.getByRole('dialog').getByText(`on its way to ${INVITED}`).waitFor()
    expect(await signsIn(url)).toBe(200)
    expect(await signsIn(url)).toBe(401)
    await invite.page.getByRole('button', { name: 'I have copied it' }).click()

    // Somebody who is there already is not invited twice, whatever the spelling.
    await invite.page.getByRole('button', { name: 'Invite somebody' }).click()
    await invite.page.getByRole('textbox', { name: 'Email' }).fill('NEW@ｐｅｏｐｌｅ.example')
    await invite.page.getByRole('button', { name: 'Invite', exact: true }).click()
    await invite.page.getByText('The address is a user of the workspace already').waitFor()
    await invite.close()

    const change = await opened('people change', OWNER)
    await change.press(change.page.getByRole('link', { name: 'People', exact: true }))
    await change.press(change.page.getByRole('button', { name: `Change role: ${INVITED}` }))
    await change.choose(change.page.getByRole('combobox', { name: 'Role' }), 'admin')
    await change.press(change.page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }))
    await change.page.getByRole('dialog').waitFor({ state: 'detached' })
    await change.page.getByRole('row', { name: new RegExp(`${INVITED}.*admin`) }).waitFor()
    expect(await change.count()).toBe(3)

    await change.page.getByRole('button', { name: `New link: ${INVITED}` }).click()
    const link = ((await change.page.getByRole('region', { name: 'A link that signs in once' }).locator('pre').textContent()) ?? '').trim()
    await change.page.getByRole('button', { name: 'I have copied it' }).click()
    expect(change.problems).toEqual([])
    await change.close()

    const remove = await opened('people remove', OWNER)
    await remove.press(remove.page.getByRole('link', { name: 'People', exact: true }))
    await remove.press(remove.page.getByRole('button', { name: `Remove: ${INVITED}` }))
    await remove.press(remove.page.getByRole('dialog').getByRole('button', { name: 'Remove' }))
    await remove.page.getByRole('button', { name: `Remove: ${INVITED}` }).waitFor({ state: 'detached' })
    expect(await remove.count()).toBe(3)
    // A link ends with its user.
    expect(await signsIn(link)).toBe(401)
    expect(remove.problems).toEqual([])
    await remove.close()
  })

  it('lose nothing that they type into a dialog while it is saved, because it takes no text then', async () => {
    const { page, problems, close } = await opened('typed while a dialog is saved', OWNER)
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/api/v1/dashboard/people', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      begun.resolve()
      await held.promise
      await route.fulfill({ status: 503, json: { success: false, message: 'Later' } })
    })
    await page.goto(`${world.url}/dashboard/w/people/settings/people`)
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    const email = page.getByRole('textbox', { name: 'Email' })
    await email.fill('typed@people.example')
    await email.press('Enter')
    await begun.promise
    await email.pressSequentially('.later')
    expect(await email.inputValue()).toBe('typed@people.example')
    held.resolve()
    await page.getByRole('alert').waitFor()
    await email.pressSequentially('.later')
    expect(await email.inputValue()).toBe('typed@people.example.later')
    expect(problems.filter((problem) => !problem.includes('status of 503'))).toEqual([])
    await close()
  })

  operatorTasks(() => ({ world, browser, client, owner: OWNER, admin: ADMIN }))
  settingsCases(() => ({ world, browser, client, opened, owner: OWNER }))

  it('are changed by no admin, and by no owner themselves: the buttons say why', async () => {
    for (const [email, own] of [
      [ADMIN, OWNER],
      [OWNER, OWNER],
    ] as const) {
      const { page, problems, close } = await opened(`people closed ${email}`, email)
      await page.goto(`${world.url}/dashboard/w/people/settings/people`)
      for (const verb of ['Change role', 'New link', 'Remove']) {
        const button = page.getByRole('button', { name: `${verb}: ${own}` })
        await button.waitFor()
        expect(await button.isDisabled()).toBe(true)
        expect(await button.getAttribute('title')).toMatch(/owner/)
      }
      expect(problems).toEqual([])
      await close()
    }
  })
})
