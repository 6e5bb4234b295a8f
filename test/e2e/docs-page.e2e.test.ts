import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch, openPage } from './support/browser.ts'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

const chromium = chromiumOrLeftOut()

describe.runIf(chromium)('/docs in a browser', () => {
  let world: World
  let acme: Client
  let browser: Browser
  beforeAll(async () => {
    world = await startWorld()
    acme = await world.workspace('viewer')
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world.stop()
  })

  it('shows every route, sends a request with the key that is typed in, and loads nothing from elsewhere', async () => {
    const { page, problems } = await openPage(browser, 'docs page')
    await page.setViewportSize({ width: 1280, height: 900 })
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    await page.goto(`${world.url}/docs`)
    await page.locator('#operations-workspace-me').waitFor()
    const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as { paths: Record<string, object> }
    const routes = Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0)
    expect(await page.locator('.opblock').count()).toBeGreaterThanOrEqual(routes)

    await page.getByRole('button', { name: 'Authorize' }).first().click()
    const dialog = page.locator('.dialog-ux')
    for (const [name, value] of [
      ['tenant', acme.slug],
      ['key', acme.key],
    ] as const) {
      const scheme = dialog.locator('.auth-container', { hasText: new RegExp(`(^|[^a-zA-Z])${name}\\s*\\(apiKey\\)`) })
      await scheme.locator('input').fill(value)
      await scheme.getByRole('button', { name: 'Apply credentials' }).click()
    }
    await dialog.locator('.close-modal').click()

    await page.locator('#operations-workspace-me .opblock-summary-control').click()
    await page.locator('#operations-workspace-me').getByRole('button', { name: 'Execute' }).click()
    const answer = page.locator('#operations-workspace-me .live-responses-table')
    await answer.waitFor()
    expect(await answer.textContent()).toContain(acme.slug)
    expect([...asked].filter((origin) => origin !== world.url && origin !== 'null')).toEqual([])
    expect(problems).toEqual([])
    // Four seconds of CPU for the page, which a busy machine takes a minute for.
  })
})
