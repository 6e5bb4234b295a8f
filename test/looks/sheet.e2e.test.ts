import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFindings } from '../e2e/support/dashboard.ts'
import { compared, drawingChromium } from './baseline.ts'
import { drawer, launchDrawing, openDrawing } from './drawing.ts'
import { NOW, ZONE } from './shop.ts'

// The sheet of all parts of the dashboard (npm run sheet), in both directions, as pictures.

const DASHBOARD = join(import.meta.dirname, '../../dashboard')
const SHEET = 'http://sheet.example/sheet.html'
const DIALOGS = ['confirm', 'add-credits', 'given-link', 'secret-once']

/** They ask the service for what they show, or are shown by another part: screens show them. */
const NOT_ALONE: ReadonlySet<string> = new Set([
  ...['audit-page', 'choose-person', 'chosen-letters', 'dead-letters', 'found-messages', 'history', 'posted-frame', 'rule/rule-matches'],
  ...['chart-marks', 'rule/condition', 'rule/group', 'zone'],
])

const chromium = drawingChromium()
const folder = mkdtempSync(join(tmpdir(), 'tidings-sheet-'))

/** The parts, by the names of their files. */
function parts(): readonly string[] {
  const files = globSync('**/*.tsx', { cwd: join(DASHBOARD, 'src/ui') })
  return files.map((file) => file.replace(/\.tsx$/, '')).filter((name) => !NOT_ALONE.has(name))
}

describe.runIf(chromium !== null)('the sheet of the parts looks as it did', () => {
  let browser: Browser
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(DASHBOARD, 'sheet.mjs'), folder])
    browser = await launchDrawing(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (language: 'en' | 'he') => {
    const page = await openDrawing(browser, { language, now: NOW, zone: ZONE })
    await page.route('http://sheet.example/**', (route) => route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }))
    await page.goto(SHEET)
    // What comes last: the editors are loaded, and a shape of what is loading is shown after a while.
    for (const late of ['.cm-editor >> nth=1', '[role=status][data-loading]', 'svg[role=img] >> nth=1']) await page.locator(late).waitFor()
    return page
  }

  it('has every part of src/ui', async () => {
    const page = await open('en')
    const shown = await page.locator('article > h2').allTextContents()
    expect([...shown, ...DIALOGS].toSorted()).toEqual(parts().toSorted())
    await page.context().close()
  })

  it.each(['en', 'he'] as const)('in %s', async (language) => {
    const page = await open(language)
    const draw = drawer(page)
    const found = [compared(`sheet-${language}`, await draw(page.locator('main')), browser.version())]
    const findings = await axeFindings(page)
    for (const name of DIALOGS) {
      await page.getByRole('button', { name, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      found.push(compared(`sheet-${name}-${language}`, await draw(dialog), browser.version()))
      await dialog.locator('.mantine-Modal-close').click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.context().close()
    expect([...findings, ...found.filter((said) => said !== null)]).toEqual([])
  })
})
