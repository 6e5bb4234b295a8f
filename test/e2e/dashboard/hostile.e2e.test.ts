import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { profilesOf } from '../support/profiles.ts'
import { storedEvents } from '../support/stored-log.ts'
import { startWorld, type World } from '../support/world.ts'

// What strangers try with a browser in which an owner is signed in: by a page of another origin, and by a mail.

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const OWNER = 'owner@hostile.example'
const FILE = `users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]`

/** One is of the same site, so that a cookie with SameSite=Lax goes along, the other is not. */
const STRANGERS = ['http://127.0.0.1:9', 'http://evil.example'] as const
const EVIL = /^https?:\/\/(evil\.example|127\.0\.0\.1:9)\//

const MAIL = `<h1 id="seen">Spring</h1><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/refresh">
<link rel="stylesheet" href="https://evil.example/a.css"><style>@import url(https://evil.example/b.css); body { background: url(https://evil.example/c.png) }</style>
<script>top.location = 'https://evil.example/top'; window.open('https://evil.example/open'); fetch('https://evil.example/fetch'); parent.owned = 1</script>
<img src="https://evil.example/pixel.png" onerror="parent.owned = 1"><iframe src="https://evil.example/frame"></iframe><object data="https://evil.example/o"></object>
<a id="top" href="https://evil.example/link-top" target="_top">top</a> <a id="blank" href="https://evil.example/link-blank" target="_blank">blank</a>
<a id="script" href="javascript:parent.owned = 1">script</a>
<form action="https://evil.example/form" method="post" target="_top"><button id="submit">send</button></form>`

describe.runIf(chromium !== null)('a stranger', () => {
  let world: World
  let client: Client
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    world = await startWorld()
    client = await world.workspace('hostile', FILE)
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  /** Answers with `html` where somebody asks the stranger; notes who did. */
  const servedBy = async (context: BrowserContext, html: string): Promise<readonly string[]> => {
    const asked: string[] = []
    await context.route(EVIL, async (route) => {
      asked.push(route.request().url())
      await route.fulfill({ contentType: 'text/html', body: html })
    })
    return asked
  }

  it.each(STRANGERS)('whose page is of %s writes nothing and reads nothing, by a form or by fetch', async (origin) => {
    const { page, close } = await openDashboard(browser, `csrf ${origin}`, WIDE)
    await openAs(page, { world, client, email: OWNER, path: '/dashboard/w/hostile/profiles' })
    const api = `${world.url}/api/v1/dashboard`
    await servedBy(
      page.context(),
      `<h1>Evil</h1><form method="post" enctype="text/plain" action="${api}/profiles"><input name='{"email":"form@evil.example","x":"' value='"}'><button>go</button></form>`,
    )
    const before = (await storedEvents(world.stores.store)).length
    const statuses: number[] = []
    await page.goto(`${origin}/`)
    // What the page of the owner had asked for is over.
    page.on('response', (response) => {
      if (response.url().startsWith(api)) statuses.push(response.status())
    })
    const outcomes = await page.evaluate(
      async ({ url, body }) => {
        const asks: readonly RequestInit[] = [
          { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body },
          { method: 'POST', mode: 'cors', headers: { 'Content-Type': 'application/json' }, body },
          { method: 'GET', mode: 'no-cors' },
          { method: 'GET', mode: 'cors' },
        ]
        const outcomeOf = async (init: RequestInit): Promise<string> => {
          try {
            const answer = await fetch(`${url}/profiles`, { ...init, credentials: 'include' })
            return `${answer.type} ${answer.status} ${await answer.text()}`
          } catch {
            return 'refused'
          }
        }
        return Promise.all(asks.map(outcomeOf))
      },
      { url: api, body: '{"email":"fetch@evil.example"}' },
    )
    // Nothing can be read: an answer is opaque, or the browser keeps it back.
    for (const outcome of outcomes) expect(outcome).toMatch(/^(refused|opaque 0 )$/)
    await page.getByRole('button', { name: 'go' }).click()
    await page.waitForURL(`${api}/profiles`)
    // The browser shows the answer to the form; the others it keeps back.
    await expect.poll(() => statuses.length).toBeGreaterThan(0)
    expect(statuses.filter((status) => ![400, 401, 403].includes(status))).toEqual([])
    expect((await storedEvents(world.stores.store)).length).toBe(before)
    await close()
  })

  it('whose mail is read runs nothing, calls no server, opens nothing and leads nowhere', async () => {
    const ada = await profilesOf(client).create({ email: 'ada@hostile.example', emailConsent: 'subscribed' })
    const id = await client.send('ada@hostile.example', { subject: 'Spring', html: MAIL })
    await client.messageWith(id, 'sent')
    const { page, close } = await openDashboard(browser, 'hostile mail', WIDE)
    const asked = await servedBy(page.context(), 'evil')
    const opened: string[] = []
    page.context().on('page', (popup) => opened.push(popup.url()))
    const path = `/dashboard/w/hostile/messages/${id}`
    await openAs(page, { world, client, email: OWNER, path })
    const mail = page.frameLocator('iframe').first()
    await mail.locator('#seen').waitFor()
    for (const press of ['#top', '#blank', '#script', '#submit']) {
      await mail.locator(press).click()
      // What a press began is over when the page has answered.
      await page.evaluate('new Promise((done) => setTimeout(done, 0))')
    }
    expect(asked).toEqual([])
    expect(opened).toEqual([])
    expect(new URL(page.url()).pathname).toBe(path)
    expect(await page.evaluate<boolean>('"owned" in globalThis')).toBe(false)
    expect((await profilesOf(client).get(ada.id)).emailConsent).toBe('subscribed')
    await close()
  })
})
