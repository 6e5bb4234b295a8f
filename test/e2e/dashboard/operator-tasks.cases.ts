import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { openBy, openDashboard } from '../support/dashboard.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import { call, newLink, newOperator } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; browser: Browser; client: Client; owner: string; admin: string }>

/** The tasks of operators, counted from the first screen. */
export function operatorTasks(doors: () => Doors): void {
  const opened = async (test: string, token: string, path: string) => {
    const { world, browser } = doors()
    const { page, problems, close } = await openDashboard(browser, test, { width: 1280, scheme: 'light', language: 'en' })
    await openBy(page, { world, token, path })
    return { page, problems, close, ...(await clicks(page)) }
  }
  const title = (name: string) => ({ name, level: 1, exact: true }) as const

  it('lead an owner who is an operator as well to the installation in one press, and back', async () => {
    const { world, client, owner } = doors()
    const token = await newLink(world.stores, client, owner, { isOperator: true })
    const { page, problems, close, press, count } = await opened('operator looks', token, '/dashboard')
    await press(page.getByRole('link', { name: 'System', exact: true }))
    await page
      .getByRole('table', { name: 'Projections' })
      .getByRole('row', { name: /^profiles / })
      .waitFor()
    expect(await count()).toBe(1)
    await press(page.getByRole('link', { name: /^To workspace/ }))
    await page.getByRole('heading', title('Overview')).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('begin at the installation for an operator of no workspace', async () => {
    const { token } = await newOperator(doors().world.stores)
    const { page, problems, close } = await opened('operator signs in', token, '/dashboard')
    await page.getByRole('heading', title('System')).waitFor()
    await page.getByRole('table', { name: 'Processes' }).waitFor()
    expect(await page.getByRole('link', { name: /^To workspace/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Check now', exact: true }).click()
    const checks = page.getByRole('table', { name: 'Checks', exact: true })
    // Every sender domain is asked for at its name server, which does not answer here.
    await checks.getByRole('row', { name: /^stores .*ok Postgres / }).waitFor({ timeout: 240_000 })
    await checks.getByRole('row', { name: /^web push / }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('choose a password for themselves where they are of no workspace', async () => {
    const { world } = doors()
    const { token, email } = await newOperator(world.stores)
    const { page, problems, close, press, type, count } = await opened('operator account', token, '/dashboard')
    await page.getByRole('heading', title('System')).waitFor()
    await press(page.getByRole('button', { name: `Account: ${email}` }))
    await press(page.getByRole('menuitem', { name: 'Your account', exact: true }))
    await page.getByRole('table', { name: 'Where you are signed in' }).waitFor()
    await type(page.getByRole('textbox', { name: 'New password' }), 'correct horse battery')
    await press(page.getByRole('button', { name: 'Choose password', exact: true }))
    await page.getByText('Changed. Your other sessions have ended.').waitFor()
    expect(await count()).toBe(3)
    await page.reload()
    await page.getByRole('textbox', { name: 'Current password' }).waitFor()
    await page.getByRole('combobox', { name: 'Language' }).selectOption('he')
    await page.locator('html[dir=rtl]').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('add credits in three presses, approve a sender ID in two, and suspend with a reason', async () => {
    const { world, client } = doors()
    const spare = await world.workspace('0-spare', 'smsSenderIds: [{ id: Spare }]')
    const { token } = await newOperator(world.stores)
    const { page, problems, close, press, type, count } = await opened('operator workspaces', token, '/dashboard')
    await page.getByRole('heading', title('System')).waitFor()
    await press(page.getByRole('link', { name: 'Workspaces', exact: true }))
    await press(page.getByRole('button', { name: 'Add credits: 0-spare', exact: true }))
    await type(page.getByRole('textbox', { name: 'Credits' }), '250')
    await press(page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^0-spare .* 250 / }).waitFor()
    expect(await count()).toBe(3)

    await press(page.getByRole('link', { name: 'Approvals', exact: true }))
    await press(page.getByRole('button', { name: 'Approve: Spare', exact: true }))
    await page.getByRole('button', { name: 'Approve: Spare', exact: true }).waitFor({ state: 'detached' })
    expect(await count()).toBe(5)

    await page.goto(`${world.url}/dashboard/system/workspaces/0-spare`)
    await page.getByRole('button', { name: 'Suspend', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not paid')
    await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Not paid', { exact: true }).waitFor()
    await world.settle()
    expect((await spare.request('GET', '/public/profiles')).status).toBe(403)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor()
    await world.settle()
    expect((await spare.request('GET', '/public/profiles')).status).toBe(200)
    expect((await client.request('GET', '/public/profiles')).status).toBe(200)
    expect(problems).toEqual([])
    await close()
  })

  it('make a workspace in three presses, whose key works, and invite its owner in two more', async () => {
    const { world } = doors()
    const { token } = await newOperator(world.stores)
    const { page, problems, close, press, type, count } = await opened('operator makes a workspace', token, '/dashboard/system/workspaces')
    await press(page.getByRole('button', { name: 'New workspace', exact: true }))
    await type(page.getByRole('textbox', { name: 'Name', exact: true }), 'חנות')
    await type(page.getByRole('textbox', { name: 'Slug' }), '0-made')
    await press(page.getByRole('button', { name: 'Make workspace', exact: true }))
    const shown = page.getByRole('dialog', { name: 'The new API key of' })
    const key = (await shown.locator('pre').textContent()) ?? ''
    expect(await count()).toBe(2)
    await press(shown.getByRole('button', { name: 'Invite an owner', exact: true }))
    await type(page.getByRole('textbox', { name: /^Email/ }), 'owner@made.example')
    await press(page.getByRole('button', { name: 'Invite', exact: true }))
    const given = page.getByRole('dialog', { name: 'A link that signs in once' })
    const link = (await given.locator('pre').textContent()) ?? ''
    await press(given.getByRole('button', { name: 'I have copied it', exact: true }))
    await page.getByRole('row', { name: /^0-made / }).waitFor()
    expect(await count()).toBe(5)
    const signedIn = await call(world.url, 'POST /auth/link', { body: { token: new URL(link.trim()).hash.slice(1) } })
    expect(signedIn.body.data).toMatchObject({ user: { email: 'owner@made.example', role: 'owner' } })
    const headers = { 'X-Sender-Tenant': '0-made', 'X-API-Key': key.trim() }
    expect((await fetch(`${world.url}/api/v1/public/me`, { headers })).status).toBe(200)
    expect(problems).toEqual([])
    await close()
  })

  it('try a dead letter again in three presses, and give up another with a reason', async () => {
    const { world } = doors()
    const { applied } = await world.workspace('0-letters')
    await insertDeadLetters(world, applied.workspace.id)
    const { token } = await newOperator(world.stores)
    const { page, problems, close, press, count } = await opened('operator letters', token, '/dashboard')
    await page.getByRole('heading', title('System')).waitFor()
    await press(page.getByRole('link', { name: 'Dead letters', exact: true }))
    const row = page.getByRole('table', { name: 'Dead letters', exact: true }).getByRole('row', { name: / 0-letters / })
    await row.getByRole('checkbox').first().check()
    await press(page.getByRole('button', { name: 'Try again', exact: true }))
    await press(page.getByRole('dialog', { name: 'Try 1 dead letter again?' }).getByRole('button', { name: 'Try again', exact: true }))
    await page.getByText('Done for 1 dead letter.').waitFor()
    expect(await count()).toBe(3)
    await page.getByRole('button', { name: 'Give up', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Give up 1 dead letter?' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Its consumer is gone.')
    await dialog.getByRole('button', { name: 'Give up', exact: true }).click()
    await dialog.getByText('Done for 1 dead letter.').waitFor()
    await row.nth(1).waitFor({ state: 'detached' })
    await row.first().waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('watch work on a projection, with a bar where it goes through the log', async () => {
    const { world } = doors()
    const { token } = await newOperator(world.stores)
    const later = `clock_timestamp() + interval '1 day'`
    await world.stores.pool.query(
      `insert into ops.dashboard_job (id, projection, act, asked_by, state, done, total, alive_at) values
         (gen_random_uuid(), 'tags', 'compare', 'operator:x', 'running', 0, 0, ${later}),
         (gen_random_uuid(), 'forms', 'rebuild_beside', 'operator:x', 'running', 1000, 4000, ${later})`,
    )
    const { page, problems, close } = await opened('operator watches', token, '/dashboard/system/projections')
    const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
    await rowOf('forms').getByRole('progressbar', { name: 'Progress of ' }).waitFor()
    await rowOf('tags').getByText('running').waitFor()
    expect(await rowOf('tags').getByRole('progressbar').count()).toBe(0)
    expect(await rowOf('tags').textContent()).not.toMatch(/0.? of/)
    await world.stores.pool.query(`delete from ops.dashboard_job where asked_by = 'operator:x'`)
    expect(problems).toEqual([])
    await close()
  })

  it('are closed to everybody else, and say whose they are', async () => {
    const { world, client, admin } = doors()
    const { page, problems, close } = await opened('operator closed', await newLink(world.stores, client, admin), '/dashboard/w/people')
    await page.getByRole('link', { name: 'Overview', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'System', exact: true }).count()).toBe(0)
    await page.goto(`${world.url}/dashboard/system`)
    await page.getByText('This page is for operators of the installation.').waitFor()
    expect(problems).toEqual([])
    await close()
  })
}
