import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PATIENT_MS, until } from '@tidings/testing'
import type { Browser, Locator, Page, Request } from 'playwright-core'
import { launch } from '../e2e/support/browser.ts'

const TTF = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf')
/** They have Latin and Hebrew letters and every sign of the pages. */
const FONTS = ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono', 'DejaVuSansMono-Bold']

const configurationOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${join(folder, 'fonts')}</dir>
<cachedir>${join(folder, 'cache')}</cachedir>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match target="pattern"><edit name="antialias" mode="assign"><bool>true</bool></edit><edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit></match>
</fontconfig>`

/** A folder that has the fonts of the tree alone, and the file of fontconfig that names them. */
function makeFonts(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-fonts-'))
  mkdirSync(join(folder, 'fonts'))
  for (const font of FONTS) symlinkSync(join(TTF, `${font}.ttf`), join(folder, 'fonts', `${font}.ttf`))
  writeFileSync(join(folder, 'fonts.conf'), configurationOf(folder))
  return folder
}

/** Chromium that draws alike on every Linux: whatever fonts are there and however they were chosen, and by the processor alone. */
export async function launchDrawing(executablePath: string): Promise<Browser> {
  const folder = makeFonts()
  const args = ['--font-render-hinting=none', '--disable-lcd-text', '--disable-skia-runtime-opts']
  const browser = await launch(executablePath, { args, env: { FONTCONFIG_FILE: join(folder, 'fonts.conf') } })
  browser.on('disconnected', () => rmSync(folder, { recursive: true, force: true }))
  return browser
}

type Drawn = Readonly<{ language: 'en' | 'he'; now: string; zone: string }>

/** A page of a person who reads in this language and zone, whose clock stands still, and where nothing moves. */
export async function openDrawing(browser: Browser, { language, now, zone }: Drawn): Promise<Page> {
  const context = await browser.newContext({
    ...{ viewport: { width: 1280, height: 1000 }, deviceScaleFactor: 1, locale: language, timezoneId: zone },
    ...{ colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'none' },
  })
  context.setDefaultTimeout(PATIENT_MS)
  await context.clock.setFixedTime(now)
  return context.newPage()
}

/**
 * Pictures of a page, or of a part of it, that is at rest: two in a row are the same, no request is open from before the first one to after the second, and
 * nothing is there that is `unsettled`, a selector.
 */
export function drawer(page: Page, unsettled?: string): (part?: Locator) => Promise<Buffer> {
  const open = new Set<Request>()
  let asked = 0
  page.on('request', (request) => {
    open.add(request)
    asked++
  })
  const end = (request: Request) => open.delete(request)
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  const mustRest = async (since: number): Promise<void> => {
    const left = unsettled === undefined ? 0 : await page.locator(unsettled).count()
    if (left > 0 || open.size > 0 || asked > since) throw new Error(`${page.url()} does not come to rest`)
  }
  return (part) => {
    const picture = () => (part ?? page).screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' })
    return until(async () => {
      const since = asked
      await page.evaluate('document.fonts.ready')
      await mustRest(since)
      const [one, two] = [await picture(), await picture()]
      await mustRest(since)
      if (!one.equals(two)) throw new Error(`${page.url()} still changes`)
      return two
    })
  }
}
