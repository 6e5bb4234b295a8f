import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leftOut } from '@tidings/testing'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { chromiumOrLeftOut, LAUNCH_MS, pictureOf } from './browser.ts'
import { type Desktop, startDesktop } from './desktop.ts'
import { eventually } from './eventually.ts'
import { type PushVendor, startPushVendor } from './push-vendor.ts'

/** A Chromium that can be subscribed to web push, with a push vendor and a desktop of its own. */
export type PushBrowser = Readonly<{
  context: BrowserContext
  desktop: Desktop
  vendor: PushVendor
  /** A page. `problems`: what its console calls an error. When the test fails, the folder `failures` beside the tests gets its picture. */
  open: (url: string, test: string) => Promise<Readonly<{ page: Page; problems: string[] }>>
  /** Lets an origin show notifications, or not, in the settings, as the user of the browser does. */
  setNotifications: (origin: string, value: 'allow' | 'block') => Promise<void>
  /** Gives the service worker of this page's origin a push with these data, as DevTools does. */
  push: (page: Page, data: string) => Promise<void>
  /** Waits until a page is open whose address begins like this. */
  opens: (start: string) => Promise<Page>
  close: () => Promise<void>
}>

/** What Chromium says with a window. Without one it says that it is headless, and what it does then counts as a machine's (M6). */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** For `describe.runIf`: the path of Chromium; null, by name, where there is none or its notifications have no D-Bus to go to. */
export function pushBrowserOrLeftOut(): string | null {
  if (process.platform === 'linux') return chromiumOrLeftOut()
  leftOut('browser', 'the notifications of Chromium go over D-Bus only under Linux.')
  return null
}

/** `hosts`: names that lead to another address, as a DNS of the browser's own would say: `{ 'shop.example': '127.0.0.1:8080' }`. */
export async function startPushBrowser(executablePath: string, hosts: Readonly<Record<string, string>> = {}): Promise<PushBrowser> {
  const [vendor, desktop, profile] = await Promise.all([startPushVendor(), startDesktop(), mkdtemp(join(tmpdir(), 'tidings-profile-'))])
  const rules = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`)
  // A profile on disk: without one Chromium subscribes to nothing.
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    timeout: LAUNCH_MS,
    viewport: { width: 640, height: 360 },
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.address, DBUS_SYSTEM_BUS_ADDRESS: desktop.address },
    // The old headless mode has no notifications, and push counts as networking in the background.
    ignoreDefaultArgs: ['--headless', '--disable-background-networking'],
    args: ['--headless=new', `--user-agent=${AGENT}`, `--host-resolver-rules=${rules.join(',')}`, ...vendor.chromiumArguments],
  })
  context.setDefaultTimeout(120_000)
  let settings: Page | null = null
  return {
    context,
    desktop,
    vendor,
    open: async (url, test) => {
      const page = await context.newPage()
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      onTestFinished(async ({ task }) => {
        if (task.result?.state === 'fail' && !page.isClosed()) await page.screenshot({ path: pictureOf(test), fullPage: true })
        await page.close()
      })
      await page.goto(url)
      return { page, problems }
    },
    setNotifications: async (origin, value) => {
      const url = `chrome://settings/content/siteDetails?site=${encodeURIComponent(origin)}`
      settings ??= await context.newPage()
      if (settings.url() !== url) await settings.goto(url)
      await settings.locator('site-details-permission').filter({ hasText: 'Notifications' }).locator('select').selectOption(value)
    },
    push: async (page, data) => {
      const { origin } = new URL(page.url())
      const session = await context.newCDPSession(page)
      const registrations = new Map<string, string>()
      session.on('ServiceWorker.workerRegistrationUpdated', (update) => {
        for (const { scopeURL, registrationId, isDeleted } of update.registrations)
          if (!isDeleted) registrations.set(new URL(scopeURL).origin, registrationId)
      })
      await session.send('ServiceWorker.enable')
      const registrationId = await eventually(
        async () => registrations.get(origin),
        (id) => id !== undefined,
      )
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: registrationId ?? '', data })
      await session.detach()
    },
    opens: async (start) => {
      const pages = await eventually(
        async () => context.pages(),
        (all) => all.some((page) => page.url().startsWith(start)),
      )
      return pages.find((page) => page.url().startsWith(start)) as Page
    },
    close: async () => {
      await context.close()
      await Promise.all([vendor.close(), desktop.close()])
      await rm(profile, { recursive: true, force: true })
    },
  }
}
