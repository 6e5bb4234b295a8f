import { accessSync, constants, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { leftOut } from '@tidings/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFailed } from 'vitest'

/** The names under which systems install Chromium. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const FAILURES = fileURLToPath(new URL('../failures/', import.meta.url))

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of this machine's Chromium; null if it has none. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null
}

/** For `describe.runIf`: names the suite that is left out where there is no Chromium. */
export function chromiumOrLeftOut(): string | null {
  const found = findChromium()
  if (found === null) leftOut('browser', `there is no Chromium (${NAMES.join(', ')}) on the PATH.`)
  return found
}

/** Playwright 1.65 disables them, and Chromium hears only the last list. */
const PLAYWRIGHT_DISABLES = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable'],
  ...['LensOverlay', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
]

/** The suggestions below Chromium's own address bar are pages, made for each window and never seen: a third of the CPU of a window. */
const OMNIBOX_PAGES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/** Pages are drawn in memory. Frames with a mail in them keep processes of their own, as they have at people's: without that their sandbox behaves in another way. */
const IN_MEMORY = '--disable-gpu'

/** A busy machine takes longer than the half minute of Playwright. */
export const LAUNCH_MS = 240_000

/** `args` and `env`: what this browser has besides. */
type Launching = Readonly<{ args?: readonly string[]; env?: NodeJS.ProcessEnv }>

export function launch(executablePath: string, { args = [], env = {} }: Launching = {}): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: LAUNCH_MS,
    args: [IN_MEMORY, `--disable-features=${[...PLAYWRIGHT_DISABLES, ...OMNIBOX_PAGES].join(',')}`, ...args],
    env: { ...process.env, ...env },
  })
}

/** The folder in which a failing test leaves the picture of its page. */
export function pictureOf(test: string): string {
  mkdirSync(FAILURES, { recursive: true })
  return join(FAILURES, `${test.replaceAll(/\W+/g, '-')}.png`)
}

/** A page with cookies of its own. When the test fails, the folder `failures` beside the tests gets its picture. `problems`: what the console says, and what the page's policy blocked. */
export async function openPage(browser: Browser, test: string): Promise<Readonly<{ page: Page; problems: string[] }>> {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  onTestFailed(async () => {
    await page.screenshot({ path: pictureOf(test), fullPage: true })
  })
  return { page, problems }
}
