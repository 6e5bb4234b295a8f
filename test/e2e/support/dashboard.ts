import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page, Request } from 'playwright-core'
import { onTestFailed } from 'vitest'
import { pictureOf } from './browser.ts'
import type { Client } from './client.ts'
import { call, cookiesOf, newLink } from './users.ts'
import type { World } from './world.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Makes the pages of this tree, as `npm test` does before; where they are current it does nothing. */
export async function buildPages(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'dashboard/build.mjs')])
}

export type Looks = Readonly<{ width: 1280 | 360; scheme: 'light' | 'dark'; language: 'en' | 'he' }>

/** Narrow and wide, light and dark, both directions: each met by two of these. */
export const LOOKS: readonly Looks[] = [
  { width: 1280, scheme: 'light', language: 'en' },
  { width: 360, scheme: 'dark', language: 'en' },
  { width: 1280, scheme: 'dark', language: 'he' },
  { width: 360, scheme: 'light', language: 'he' },
]

type Opened = Readonly<{ page: Page; problems: string[]; close: () => Promise<void> }>

/** A page with cookies of its own, whose picture is kept when the test fails, and whose address and text are said. `problems`: what the console says of our pages; what a mail in its frame tries is not ours. */
export async function openDashboard(browser: Browser, test: string, { width, scheme, language }: Looks): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    locale: language,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const problems: string[] = []
  const unanswered = new Set<Request>()
  const answered = (request: Request) => unanswered.delete(request)
  page.on('request', (request) => unanswered.add(request))
  page.on('requestfinished', answered)
  page.on('requestfailed', answered)
  onTestFailed(async () => {
    if (page.isClosed()) return
    await page.screenshot({ path: pictureOf(test), fullPage: true })
    const shown = await page.evaluate<string>('document.querySelector("main")?.innerText ?? document.body.innerText')
    process.stderr.write(
      `${test} failed at ${page.url()}, unanswered: ${[...unanswered].map((request) => request.url()).join(', ') || 'nothing'}; it shows:\n${shown}\n`,
    )
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    const { url } = message.location()
    if (!['error', 'warning'].includes(message.type()) || /\/(html|content|preview)(\?|$)/.test(url)) return
    // The browser itself does not say what was answered so.
    problems.push(/with a status of/.test(message.text()) ? `${message.text()} ${url}` : message.text())
  })
  return { page, problems, close: () => context.close() }
}

type Opening = Readonly<{ world: Pick<World, 'url' | 'stores'>; client: Client; email: string; path: string }>

/** Opens a page by the session of a link: no password is hashed. */
export async function openBy(
  page: Page,
  { world, token, path }: Pick<Opening, 'world' | 'path'> & Readonly<{ token: string }>,
): Promise<void> {
  const { sender_session: value = '' } = cookiesOf(await call(world.url, 'POST /auth/link', { body: { token } }))
  await page.context().addCookies([{ name: 'sender_session', value, url: world.url, httpOnly: true, sameSite: 'Lax' }])
  await page.goto(`${world.url}${path}`)
  await page.locator('h1').waitFor()
}

/** The same as a user of the client's workspace. A task is counted by `clicks` (clicks.ts). */
export async function openAs(page: Page, { world, client, email, path }: Opening): Promise<void> {
  await openBy(page, { world, token: await newLink(world.stores, client, email), path })
}

type Axe = Readonly<{ run: (options: object) => Promise<Readonly<{ violations: readonly Violation[] }>> }>
type Violation = Readonly<{ id: string; nodes: readonly Readonly<{ html: string; failureSummary?: string }>[] }>

declare global {
  var axe: Axe
}

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds broken on the page, frames of strangers left out: each rule with the elements that break it. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(await source)
  const found = await page.evaluate(async () => (await globalThis.axe.run({ iframes: false })).violations)
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`))
}

/** Whether something of the page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
