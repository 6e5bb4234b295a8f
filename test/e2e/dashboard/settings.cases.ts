import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { PATIENT_MS } from '@tidings/testing'
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { openDashboard } from '../support/dashboard.ts'
import { call, signIn } from '../support/users.ts'
import type { World } from '../support/world.ts'

type OpenedPage = Readonly<{ page: Page; problems: string[]; close: () => Promise<void> }> & Clicks
type SettingsWorld = Readonly<{
  browser: Browser
  world: World
  client: Client
  opened: (test: string, email: string) => Promise<OpenedPage>
  owner: string
}>

/** What an owner of the workspace `people` does in its settings, while another window is open. */
export function settingsCases(given: () => SettingsWorld): void {
  it('give their workspace quiet hours in two presses, and see who was faster', async () => {
    const { world, client, opened, owner } = given()
    const one = await opened('settings', owner)
    const other = await opened('settings other', owner)
    for (const { page } of [one, other]) await page.getByRole('link', { name: 'Settings', exact: true }).waitFor()
    await other.page.getByRole('link', { name: 'Settings', exact: true }).click()
    await other.page.getByRole('checkbox', { name: 'Quiet hours' }).waitFor()

    await one.press(one.page.getByRole('link', { name: 'Settings', exact: true }))
    await one.page.getByRole('checkbox', { name: 'Quiet hours' }).check()
    await one.type(one.page.getByLabel(/^From/), '22:30')
    await one.type(one.page.getByLabel(/^To/), '07:00')
    await one.press(one.page.getByRole('button', { name: 'Save: Marketing' }))
    await one.page.getByText('Saved.').waitFor()
    expect(await one.count()).toBe(2)
    const workspaceId = asWorkspaceId(client.applied.workspace.id)
    const marketing = async () => {
      const { log } = world.stores
      const { state } = await createCommandRunner({ log, deadlineMs: PATIENT_MS }).load({
        decider: workspace,
        stream: workspaceStream(workspaceId),
        workspaceId,
      })
      return state.marketing
    }
    expect((await marketing()).quietHours).toEqual({ from: '22:30', to: '07:00' })

    // The other window still shows what was.
    await other.page.getByRole('checkbox', { name: 'Frequency cap' }).check()
    await other.page.getByRole('button', { name: 'Save: Marketing' }).click()
    const conflict = other.page.getByRole('alert').filter({ hasText: 'Somebody changed these settings meanwhile' })
    await conflict.getByText(owner).waitFor()
    await expect.poll(() => conflict.getByLabel(/^From/).inputValue()).toBe('22:30')
    await conflict.getByRole('button', { name: 'Save mine over it' }).click()
    await other.page.getByText('Saved.').waitFor()
    expect(await marketing()).toMatchObject({ quietHours: null, frequencyCap: { messages: 3, days: 7 } })
    expect(other.problems.filter((problem) => !problem.includes('status of 409'))).toEqual([])
    await other.close()
    expect(one.problems).toEqual([])
    await one.close()
  })

  it('see what a file would change in two presses, and apply it in one more', async () => {
    const { world, client, opened, owner } = given()
    const { page, problems, close, press, type, count } = await opened('workspace file', owner)
    await press(page.getByRole('link', { name: 'Workspace file', exact: true }))
    await page.getByRole('region', { name: 'This workspace as a file' }).getByText('slug: people').first().waitFor()
    const field = page.getByRole('textbox', { name: 'The file' })
    await type(field, 'workspace: { slug: people, name: people }\nlists: [{ name: "מ\u202eFiled", type: dynamic }]')
    await press(page.getByRole('button', { name: 'See the difference' }))
    await page.getByText('Line 2: lists[0].rule is missing').waitFor()
    await type(field, 'workspace: { slug: people, name: people }\nlists: [{ name: "מ\u202eFiled", type: static }]')
    await press(page.getByRole('button', { name: 'See the difference' }))
    await page.getByRole('region', { name: 'What the file would change' }).getByText('created a list: ').waitFor()
    await press(page.getByRole('button', { name: 'Apply the file' }))
    await page.getByText('The file is applied.').waitFor()
    expect(await count()).toBe(4)
    await world.settle()
    const lists = await client.request('GET', '/public/lists')
    expect(JSON.stringify(lists.body)).toContain('Filed')
    expect(problems.filter((problem) => !problem.includes('status of 400'))).toEqual([])
    await close()
  })

  it('see what their credits were spent on in one press, and take the statement along in one more', async () => {
    const { page, problems, close, press, count } = await given().opened('credits', given().owner)
    await press(page.getByRole('link', { name: 'SMS credits' }))
    await page.getByRole('table', { name: 'Statement' }).getByRole('cell', { name: 'workspace file' }).waitFor()
    await page.getByRole('region', { name: 'Credits spent by day' }).getByRole('img').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      press(page.getByRole('link', { name: 'Statement of the period as CSV' })),
    ])
    expect(file.suggestedFilename()).toBe('credits-people.csv')
    expect(await count()).toBe(2)
    expect(problems).toEqual([])
    await close()
  })

  it('choose a password after a link, or later, and are not asked again', async () => {
    const { world, browser, client, owner } = given()
    const session = await signIn(world.url, { email: owner, password: 'correct horse battery' }, world.settle)
    const invite = async (email: string): Promise<string> => {
      const { body } = await session.call('POST /dashboard/people', { body: { email, role: 'member' } })
      const { url } = (body.data as Readonly<{ link: Readonly<{ url: string }> }>).link
      return `${world.url}/dashboard/link${new URL(url).hash}`
    }
    const look = { width: 1280, scheme: 'light', language: 'en' } as const
    const { page, problems, close } = await openDashboard(browser, 'choose password', look)
    const [first, second] = [`first@${client.slug}.example`, `second@${client.slug}.example`]
    await page.goto(await invite(first))
    await page.getByRole('textbox', { name: 'New password' }).fill('a password of mine')
    await page.getByRole('button', { name: 'Choose password' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect((await call(world.url, 'POST /auth/login', { body: { email: first, password: 'a password of mine' } })).status).toBe(200)

    // In a mail the link waits for a press.
    await page.goto((await invite(second)).replace('#', '?mailed#'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`${world.url}/dashboard/password`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`${world.url}/dashboard/w/${client.slug}/me`)
    await page.getByText('You have no password yet, and sign in by links.').waitFor()
    await page.getByText('This one').waitFor()
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
    await page.reload()
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Tokyo')
    expect(problems).toEqual([])
    await close()
  })
}
