import type { Page } from 'playwright-core'
import { paths } from '../../../dashboard/src/paths.ts'
import { findChromium, launch } from '../../e2e/support/browser.ts'
import { percentile, type ReportRow, row } from '../lib/report.ts'
import type { Service } from '../lib/service.ts'
import { tidings, type Workspace } from '../lib/workspace.ts'

const PRESSES = 40
const EMAIL = 'owner@bench.example'

type ShownPage = Readonly<{ answered: number; shown: number }>

/** Presses **Next**; from its press to the last byte of the answer, and from there to the frame that has the new rows, in ms. */
const NEXT = `new Promise((resolve) => {
  const first = () => document.querySelector('tbody tr')?.textContent
  const before = first()
  const begun = performance.now()
  new MutationObserver((_, observer) => {
    if (first() === before) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => {
      const asked = performance.getEntriesByType('resource').findLast(({ name, startTime }) => startTime >= begun && /\\/profiles\\?/.test(name))
      resolve({ answered: asked.responseEnd - begun, shown: performance.now() - asked.responseEnd })
    }))
  }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true })
  ;[...document.querySelectorAll('main button')].find(({ textContent }) => textContent === 'Next').click()
})`

async function pressNext(page: Page): Promise<readonly ShownPage[]> {
  const taken: ShownPage[] = []
  for (let n = 0; n <= PRESSES; n++) {
    await page.locator('main[aria-busy=true]').waitFor({ state: 'detached' })
    taken.push(await page.evaluate<ShownPage>(NEXT))
  }
  return taken.slice(1)
}

/** Pages of 50 in the dashboard, one after the other from the first on, in Chromium; none where there is no Chromium. */
export async function pagesOnScreen({ url, dataDir, settings }: Service, { slug }: Workspace): Promise<readonly ReportRow[]> {
  const chromium = findChromium()
  if (chromium === null) return []
  await tidings(dataDir, ['user', 'add', '--workspace', slug, '--email', EMAIL, '--role', 'owner'], settings)
  const { url: link } = await tidings<{ url: string }>(dataDir, ['user', 'link', '--workspace', slug, '--email', EMAIL], settings)
  const browser = await launch(chromium)
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en' })
    page.setDefaultTimeout(120_000)
    const { pathname, hash } = new URL(link)
    await page.goto(`${url}${pathname}${hash}`)
    await page.waitForURL((address) => !address.pathname.endsWith('/link'))
    await page.goto(`${url}${paths.profiles(slug)}`)
    await page.getByRole('button', { name: 'Next' }).waitFor()
    const taken = await pressNext(page)
    const rows = (name: string, each: readonly number[]) =>
      [0.5, 0.95].map((share) => row(`${name}, p${share * 100}`, 'ms', percentile(each, share)))
    return [
      ...rows(
        'a page of 50 in the dashboard, answered',
        taken.map(({ answered }) => answered),
      ),
      ...rows(
        '  on the screen after its answer',
        taken.map(({ shown }) => shown),
      ),
    ]
  } finally {
    await browser.close()
  }
}
