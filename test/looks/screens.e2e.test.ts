import { uuidv5 } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, clientOf } from '../e2e/support/client.ts'
import { buildPages, openBy } from '../e2e/support/dashboard.ts'
import { operatorOf } from '../e2e/support/operator.ts'
import { newLink, newOperator } from '../e2e/support/users.ts'
import { startWorld, type World } from '../e2e/support/world.ts'
import { compared, drawingChromium } from './baseline.ts'
import { differenceOf } from './compare.ts'
import { drawer, launchDrawing, openDrawing } from './drawing.ts'
import { logAt } from './log-at.ts'
import { FILE, historyOf, NOW, OPENED, OWNER, type Screen, screensOf, ZONE } from './shop.ts'

// The five main screens of the dashboard, in both directions, as pictures: a shop whose log says the same in every run, read by a real service.

const chromium = drawingChromium()

/** Writes what happened in the shop into the log, behind the rules of the product. */
async function happen({ stores: { log }, settle }: World, client: Client): Promise<void> {
  const workspaceId = asWorkspaceId(client.applied.workspace.id)
  for (const { stream, events } of historyOf({ workspaceId, client })) {
    const contexts = events.map(({ at, actor }) => ({ commandId: uuidv5(stream, workspaceId), workspaceId, actor, requestId: 'looks', at }))
    await log.append(
      stream,
      'any',
      events.map(({ event }) => event),
      contexts,
    )
  }
  await settle()
}

/** What a screen shows last. */
const signsOf: Readonly<Record<Screen, (page: Page) => readonly Locator[]>> = {
  overview: (page) => [page.locator('svg[role=img]').nth(1), page.getByRole('link', { name: /tea\.example/ })],
  profile: (page) => [page.getByText('Newsletter'), page.locator('main ol > li').nth(6)],
  message: (page) => [page.getByText('on no blocklist'), page.frameLocator('iframe').getByText('It arrives on Thursday.')],
  campaign: (page) => [page.locator('table').nth(1), page.frameLocator('iframe').getByText(/Spring is here|The first flush/)],
  projections: (page) => [page.getByText('contact_timeline', { exact: true })],
}

const SCREENS = Object.keys(signsOf) as readonly Screen[]

/** Each as somebody may change it in a style sheet without meaning to. */
const CHANGES = [
  { of: 'h1', to: 'margin-inline-start: 1px' },
  { of: 'main ol > li', to: 'position: relative; top: 1px' },
  { of: 'main ol > li', to: 'padding-block-end: 9px' },
  { of: 'main section', to: 'border-color: #c8ced8' },
  { of: 'main ol a', to: 'color: #1d5fd8' },
]

/** The screen is on its way; or the service is, which is slow on a busy machine, and whose projections say so until they are asked again. */
const UNSETTLED = [
  ...['main[aria-busy=true]', 'main [aria-busy=true]', '[role=status][data-loading]', '[role=alert]'],
  ...[
    'tr:has(td:nth-child(8)):not(:has(td:nth-child(3):has-text("live")))',
    'tr:has(td:nth-child(8)):not(:has(td:nth-child(4):text-is("0")))',
  ],
].join(', ')

/** Moments that the page shows and that are not the shop's: of the run. */
const strangeTimes = async (page: Page): Promise<readonly string[]> => {
  const times = await page.evaluate<string[]>('[...document.querySelectorAll("time")].map(({ dateTime }) => dateTime)')
  return times.filter((at) => at < OPENED || at > NOW)
}

describe.runIf(chromium !== null)('the main screens look as they did', () => {
  let world: World
  let client: Client
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    world = await startWorld()
    const opened = operatorOf({ ...world.stores, log: logAt(world.stores.log, OPENED) })
    client = clientOf({ url: world.url, applied: await opened.apply(FILE), shown: world.settle })
    await happen(world, client)
    browser = await launchDrawing(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  /** Opens a screen as its person sees it; draws it as often as asked. */
  const show = async (language: 'en' | 'he') => {
    const page = await openDrawing(browser, { language, now: NOW, zone: ZONE })
    await page.addInitScript(`localStorage.setItem('tidings-first-steps-shop', 'closed')`)
    const draw = drawer(page, UNSETTLED)
    const open = async (name: Screen): Promise<Buffer> => {
      const token = name === 'projections' ? (await newOperator(world.stores)).token : await newLink(world.stores, client, OWNER)
      await openBy(page, { world, token, path: screensOf(client)[name] })
      for (const sign of signsOf[name](page)) await sign.waitFor()
      return draw()
    }
    return { page, draw, open }
  }

  it.each(['en', 'he'] as const)('in %s', async (language) => {
    const { page, open } = await show(language)
    const found: (string | null)[] = []
    for (const name of SCREENS) {
      const drawn = await open(name)
      expect(await strangeTimes(page)).toEqual([])
      found.push(compared(`${name}-${language}`, drawn, browser.version()))
    }
    await page.context().close()
    expect(found.filter((said) => said !== null)).toEqual([])
  })

  it('and a small change of a style is seen', async () => {
    const { page, draw, open } = await show('en')
    const before = await open('profile')
    for (const change of CHANGES) {
      await page.evaluate(`document.querySelector('${change.of}').style.cssText = '${change.to}'`)
      expect(differenceOf(before, await draw()), JSON.stringify(change)).not.toBeNull()
      await page.evaluate(`document.querySelector('${change.of}').style.cssText = ''`)
    }
    expect(differenceOf(before, await draw())).toBeNull()
    await page.context().close()
  })
})
