import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openDashboard } from '../support/dashboard.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { newLink } from '../support/users.ts'
import { startWorld, type World } from '../support/world.ts'

// A proxy shows the service below a path and takes the path off, as TIDINGS_PUBLIC_URL says.

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
/** It is encoded, and ends as the paths of the dashboard begin. */
const UNDER = '/t%C3%AFdings%20mail/dashboard'
const OWNER = 'owner@below.example'
const FILE = `users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]
templates: [{ name: Spring, channel: email, subject: Spring, html: '<h1>It is spring</h1>' }]`

describe.runIf(chromium !== null)('the dashboard below a path that a proxy takes off', () => {
  let world: World
  let gateway: Gateway
  let client: Client
  let browser: Browser
  let below: string
  beforeAll(async () => {
    await buildPages()
    let service = ''
    gateway = await startGateway({ commandApi: () => [service], queryApi: () => [service], under: UNDER })
    below = `${gateway.url}${UNDER}`
    world = await startWorld({ TIDINGS_PUBLIC_URL: below, TIDINGS_TRUST_PROXY: '127.0.0.1' })
    service = world.url
    client = await world.workspace('below', FILE)
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await world?.stop()
  })

  it('leads from its sign-in to every screen, file and frame, and asks for nothing beside the path', async () => {
    const { page, problems, close } = await openDashboard(browser, 'below a path', WIDE)
    const beside = new Set<string>()
    page.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(`${below}/`)) beside.add(request.url())
    })

    await page.goto(`${below}/dashboard/w/below/templates`)
    await page.waitForURL(`${below}/dashboard/login?back=*`)
    await page.getByLabel('Email').fill(OWNER)
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${below}/dashboard/w/below/templates`)
    await page.getByRole('link', { name: 'Spring' }).click()
    await page.frameLocator('iframe').getByRole('heading', { name: 'It is spring' }).waitFor()

    await page.goto(`${below}/dashboard/w/below/settings/file`)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
    expect(download.url()).toBe(`${below}/api/v1/dashboard/workspace-file/download`)

    await page.goto(`${below}/dev/mailbox`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect([...beside]).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('opens by a link of the command line', async () => {
    const { page, close } = await openDashboard(browser, 'a link below a path', WIDE)
    await page.goto(`${below}/dashboard/link#${await newLink(world.stores, client, OWNER)}`)
    await page.waitForURL(`${below}/dashboard/w/below`)
    await page.getByRole('button', { name: OWNER }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(`${below}/dashboard/login`)
    await close()
  })

  it('is there without the proxy as well, for those who ask the service itself', async () => {
    const { page, close } = await openDashboard(browser, 'beside the proxy', WIDE)
    await page.goto(`${world.url}/dashboard/w/below/lists`)
    await page.waitForURL(`${world.url}/dashboard/login?back=*`)
    await page.getByLabel('Email').waitFor()
    await close()
  })
})
