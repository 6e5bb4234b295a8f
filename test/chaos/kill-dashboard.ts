import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tidings/service'
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type DashboardWorld, startDashboardWorld, TEMPLATE } from './kill-dashboard.world.ts'
import { textOf } from './page-text.ts'

/** What a page says of each kind of trouble, and what came of the work that it met. */
export type DashboardResult = Readonly<{
  /** The words on the page while the process was away; empty where there were none. */
  said: Readonly<Record<string, string>>
  /** The records of each name that was pressed for, by what the page shows at the end. */
  made: Readonly<Record<string, number>>
  /** What stood in the field of the template after the save that failed. */
  kept: string
  saved: string
  job: string
  /** Documents that were loaded after the sign-in: those that the page asked for by itself. */
  loaded: number
  problems: readonly string[]
}>

const AWAY = /The service could not be reached\.\s+Check the connection, and whether the service runs\./
const AWAY_SCREEN =
  /The service could not be reached\.\s+Check the connection, and whether the service runs\.\s+The page tries again by itself\./

/** What must be true of a run. One document is loaded: that of the screen whose parts were missing. */
export const READ_WELL = {
  said: {
    'a screen that was there': expect.stringMatching(AWAY_SCREEN),
    'a screen that was not': expect.stringMatching(AWAY_SCREEN),
    tag: expect.stringMatching(AWAY),
    template: expect.stringMatching(AWAY),
    'a tag that is not shown yet': 'Saved, shown in a moment.',
    job: expect.stringContaining('It waits for a process with the role consumers.'),
    people: '',
  },
  kept: 'After the kill',
  saved: 'Saved as version 2.',
  job: expect.stringMatching(/done/),
  loaded: 1,
  problems: [],
}

/** A page asks again for what it read more than a second ago (app/query-client.ts). */
const KNOWN_MS = 1_500

/** In the navigation. */
const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const button = (of: Page | Locator, name: string) => of.getByRole('button', { name, exact: true })

/** Kills the process of a role with SIGKILL while `work` is done, and starts it again. */
const without = async <Result>({ stack }: DashboardWorld, role: Role, work: () => Promise<Result>): Promise<Result> => {
  await stack.end(role)
  try {
    return await work()
  } finally {
    await stack.restart(role)
  }
}

const goTo = async (page: Page, name: string): Promise<void> => {
  await link(page, name).click()
  await title(page, name).waitFor()
}

const alertOf = async (of: Page | Locator): Promise<string> => {
  const alert = of.getByRole('alert').first()
  await alert.waitFor()
  return textOf(alert)
}

/** Presses until the dialog is done: a press that was not answered is repeated by the person. */
const pressUntilDone = async (dialog: Locator, verb: string): Promise<void> => {
  for (;;) {
    if (!(await dialog.isVisible())) return
    const press = button(dialog, verb)
    await press.click({ timeout: 1_000 }).catch(() => undefined)
    await sleep(200)
  }
}

const rowsOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })

/** A screen whose parts the browser has, and one that it has not: both are shown when the process is back. */
const opensScreens = async (world: DashboardWorld): Promise<Readonly<Record<string, string>>> => {
  const { page } = world
  await goTo(page, 'Lists')
  await goTo(page, 'Templates')
  await sleep(KNOWN_MS)
  const known = await without(world, 'command-api', async () => {
    await link(page, 'Lists').click()
    return alertOf(page)
  })
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await button(page, 'New list').waitFor()
  const unknown = await without(world, 'command-api', async () => {
    await link(page, 'Flows').click()
    return alertOf(page)
  })
  await title(page, 'Flows').waitFor()
  return { 'a screen that was there': known, 'a screen that was not': unknown }
}

/** A tag whose creation is not answered: what was typed stays, and pressing again makes it once. */
const makesTag = async (world: DashboardWorld): Promise<string> => {
  const { page } = world
  await goTo(page, 'Tags')
  await button(page, 'New tag').first().click()
  const dialog = page.getByRole('dialog', { name: 'New tag' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('refused')
  const said = await without(world, 'command-api', async () => {
    await button(dialog, 'Create tag').click()
    return alertOf(dialog)
  })
  await pressUntilDone(dialog, 'Create tag')
  await rowsOf(page, 'refused').waitFor()
  return said
}

/** A list whose creation the kill meets, before it or behind it; answers its name. */
const makesListUnderWay = async (world: DashboardWorld, n: number): Promise<string> => {
  const { page, stack } = world
  const name = `under way ${n}`
  await goTo(page, 'Lists')
  await button(page, 'New list').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  const killed = sleep(Math.random() * 60).then(() => stack.end('command-api'))
  await button(dialog, 'Create list').click()
  await killed
  await stack.restart('command-api')
  await pressUntilDone(dialog, 'Create list')
  await goTo(page, 'Templates')
  await goTo(page, 'Lists')
  await rowsOf(page, name).first().waitFor()
  return name
}

/** A template whose save is not answered; answers what was said, what the field had then, and what was said of the second save. */
const savesTemplate = async (world: DashboardWorld): Promise<Readonly<{ said: string; kept: string; saved: string }>> => {
  const { page } = world
  await goTo(page, 'Templates')
  await page.getByRole('link', { name: TEMPLATE, exact: true }).click()
  const subject = page.getByRole('textbox', { name: 'Subject' })
  await subject.fill('After the kill')
  const away = await without(world, 'command-api', async () => {
    await button(page, 'Save').click()
    return { said: await alertOf(page), kept: await subject.inputValue() }
  })
  await button(page, 'Save').click()
  const saved = page.getByText(/^Saved as version/)
  await saved.waitFor()
  return { ...away, saved: await textOf(saved) }
}

/** A tag that the log has, and reads do not show yet. */
const makesTagUnseen = async (world: DashboardWorld): Promise<string> => {
  const { page } = world
  await goTo(page, 'Tags')
  const said = await without(world, 'projectors', async () => {
    await button(page, 'New tag').first().click()
    const dialog = page.getByRole('dialog', { name: 'New tag' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('unseen')
    await button(dialog, 'Create tag').click()
    await dialog.waitFor({ state: 'detached' })
    const status = page.getByRole('status').filter({ hasText: 'Saved' })
    await status.waitFor()
    return textOf(status)
  })
  await rowsOf(page, 'unseen').waitFor()
  return said
}

/** Work of an operator that no process can do; answers the words of the row meanwhile, and at its end. */
const asksForJob = async (world: DashboardWorld): Promise<Readonly<{ said: string; job: string }>> => {
  const { operators: page } = world
  await goTo(page, 'Projections')
  const row = page.getByRole('row', { name: /^tags / })
  const job = row.getByRole('cell').filter({ hasText: /Build beside:/ })
  const said = await without(world, 'consumers', async () => {
    await button(row, 'Build beside: tags').click()
    await job.waitFor()
    return textOf(job)
  })
  await row.getByText(/^v\d+ built/).waitFor()
  return { said, job: await textOf(job) }
}

/** People work in the dashboard while the process of each role is killed in turn. `underWay`: presses that a kill meets. */
export async function killDashboard(
  browser: Browser,
  { at, underWay }: Readonly<{ at: 'gateway' | 'command-api'; underWay: number }>,
): Promise<DashboardResult> {
  const world = await startDashboardWorld(browser, at)
  const { page, stack } = world
  const state = { loaded: 0 }
  page.on('domcontentloaded', () => state.loaded++)
  try {
    const screens = await opensScreens(world)
    const tag = await makesTag(world)
    const template = await savesTemplate(world)
    const unseen = await makesTagUnseen(world)
    const asked = await asksForJob(world)
    const people = await without(world, 'query-api', async () => {
      await goTo(page, 'Profiles')
      return textOf(page.getByRole('alert'))
    })
    const names: string[] = []
    for (let n = 0; n < underWay; n++) names.push(await makesListUnderWay(world, n))
    const made: Record<string, number> = {}
    for (const name of names) made[name] = await rowsOf(page, name).count()
    await goTo(page, 'Tags')
    await rowsOf(page, 'unseen').waitFor()
    for (const name of ['refused', 'unseen']) made[name] = await rowsOf(page, name).count()
    return {
      said: { ...screens, tag, template: template.said, 'a tag that is not shown yet': unseen, job: asked.said, people },
      made,
      kept: template.kept,
      saved: template.saved,
      job: asked.job,
      loaded: state.loaded,
      problems: world.problems(),
    }
  } catch (error) {
    const said = stack.processes().map((process) => process.output().slice(-3_000))
    throw new Error(`the page shows: ${await textOf(page.locator('body'))}\nthe processes said: ${said.join('\n\n')}`, { cause: error })
  } finally {
    await world.stop()
  }
}
