import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from './support/eventually.ts'
import { type PushBrowser, pushBrowserOrLeftOut, startPushBrowser } from './support/push-browser.ts'
import { type PushShop, startPushShop } from './support/push-shop.ts'
import { startWorld, type World } from './support/world.ts'

const VAPID_PRIVATE_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
/** A subscription as after a change of keys, or by another sender. */
const SUBSCRIBE_UNDER_ANOTHER_KEY = `(async () => {
  const { pushManager } = await navigator.serviceWorker.ready
  await (await pushManager.getSubscription()).unsubscribe()
  const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: await crypto.subtle.exportKey('raw', publicKey) })
})()`

const chromium = pushBrowserOrLeftOut()

describe.runIf(chromium !== null)('web push in a browser', () => {
  let world: World
  let browser: PushBrowser
  beforeAll(async () => {
    world = await startWorld({ TIDINGS_VAPID_PRIVATE_KEY: VAPID_PRIVATE_KEY })
    browser = await startPushBrowser(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  /** A page of a shop of its own, as a visitor opens it who has not decided yet, or has. */
  const visit = async (test: string, permission: 'granted' | 'undecided' = 'granted', attributes = '') => {
    const shop: PushShop = await startPushShop(world.url, attributes)
    onTestFinished(shop.close)
    if (permission === 'granted') await browser.context.grantPermissions(['notifications'], { origin: shop.origin })
    const { page, problems } = await browser.open(`${shop.origin}/`, test)
    return { shop, page, problems }
  }
  const call = (page: Page, what: string): Promise<unknown> => page.evaluate(`tidings.push.${what}.catch((error) => error.message)`)
  const shownTitles = () => browser.desktop.shown().map(({ title }) => title)

  it('asks for no permission by itself, and stores nothing', async () => {
    const { shop, page, problems } = await visit('silent', 'undecided')
    expect(await call(page, 'state()')).toBe('unsubscribed')
    expect(await page.evaluate('Notification.permission')).toBe('default')
    expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')).toBe(0)
    expect(await page.evaluate('indexedDB.databases()')).toEqual([])
    expect([shop.messages, problems]).toEqual([[], []])
  })

  it('subscribes under a strict policy, and gives the subscription to the shop', async () => {
    const { shop, page, problems } = await visit('subscribes')
    expect(await call(page, 'subscribe()')).toBe('subscribed')
    expect(await call(page, 'state()')).toBe('subscribed')
    const [sent] = shop.messages
    expect(sent?.cookie).toBe('session=ada')
    expect(sent?.message).toEqual({
      subscription: {
        endpoint: expect.stringMatching(/^https:\/\//),
        keys: { p256dh: expect.stringMatching(/^[\w-]{87}$/), auth: expect.stringMatching(/^[\w-]{22}$/) },
        userAgent: expect.stringContaining('Chrome'),
        browser: 'Chrome',
        platform: 'Linux',
      },
      replaces: null,
    })
    expect(problems).toEqual([])
  })

  it.each([
    ['data-key', `data-key="sk_evt_${'a'.repeat(64)}"`, 'subscribe()'],
    ['an option', '', `subscribe({ key: 'sk_evt_${'a'.repeat(64)}' })`],
    ['the endpoint', '', `subscribe({ endpoint: '/subscriptions?key=sk_evt_${'a'.repeat(64)}' })`],
  ])('refuses a secret key as %s, and asks for nothing', async (what, attributes, asked) => {
    const { shop, page } = await visit(`secret-${what}`, 'granted', attributes)
    expect(await call(page, asked)).toContain('a secret key in a page opens all contacts to its readers')
    expect(await call(page, 'state()')).toBe('unsubscribed')
    expect(shop.messages).toEqual([])
  })

  it('takes a secret key where the tag says that it may', async () => {
    const { page } = await visit('allowed-secret', 'granted', `data-key="sk_evt_${'a'.repeat(64)}" data-allow-secret`)
    expect(await call(page, 'subscribe()')).toBe('subscribed')
  })

  it('subscribed already gives the same subscription again', async () => {
    const { shop, page } = await visit('again')
    await call(page, 'subscribe()')
    expect(await call(page, 'subscribe()')).toBe('subscribed')
    expect(shop.messages).toHaveLength(2)
    expect(shop.messages[1]).toEqual(shop.messages[0])
  })

  it('unsubscribes, and says what a later subscription replaces', async () => {
    const { shop, page } = await visit('unsubscribes')
    await call(page, 'subscribe()')
    expect(await call(page, 'unsubscribe()')).toBe('unsubscribed')
    expect(await call(page, 'state()')).toBe('unsubscribed')
    await call(page, 'subscribe()')
    const [first, second] = shop.messages.map(({ message }) => message)
    expect(second?.replaces).toBe(first?.subscription.endpoint)
    expect(second?.subscription.endpoint).not.toBe(first?.subscription.endpoint)
  })

  it('is not subscribed when the shop does not take it, and says so in plain words', async () => {
    const { shop, page } = await visit('refused')
    shop.answerWith(500)
    expect(await call(page, 'subscribe()')).toBe('tidings: the shop did not take the subscription: /subscriptions answered 500')
    expect(await call(page, 'state()')).toBe('unsubscribed')
    shop.answerWith(204)
    expect(await call(page, 'subscribe()')).toBe('subscribed')
  })

  it('replaces a subscription under another key', async () => {
    const { shop, page } = await visit('other-key')
    await call(page, 'subscribe()')
    await page.evaluate(SUBSCRIBE_UNDER_ANOTHER_KEY)
    expect(await call(page, 'state()')).toBe('unsubscribed')
    expect(await call(page, 'subscribe()')).toBe('subscribed')
    expect(shop.messages).toHaveLength(2)
  })

  it.each([
    ["subscribe({ serviceWorker: 'https://other.example/worker.js' })", 'tidings: the service worker must be a file of'],
    ["subscribe({ endpoint: '' })", 'tidings: say where the subscription goes'],
  ])('%s is refused in plain words', async (what, sentence) => {
    const { page, shop } = await visit('mistake', 'undecided')
    expect(await call(page, what)).toContain(sentence)
    expect(shop.messages).toEqual([])
  })

  it('gives the subscription to a function of the page instead', async () => {
    const { page, shop } = await visit('send')
    await page.evaluate(`tidings.push.subscribe({ send: async (message) => { globalThis.sent = message } })`)
    expect(await page.evaluate('sent.subscription.endpoint')).toMatch(/^https:/)
    expect(shop.messages).toEqual([])
  })

  it('shows what is pushed, and a click opens its address and closes it', async () => {
    const { page, shop } = await visit('shows')
    await call(page, 'subscribe()')
    await browser.push(page, JSON.stringify({ title: 'On its way', body: 'Order 1001', url: `${shop.origin}/order?n=1001`, tag: 'one' }))
    const shown = await browser.desktop.shows('On its way')
    expect(shown.text).toContain('Order 1001')
    shown.click()
    const opened = await browser.opens(`${shop.origin}/order`)
    expect(opened.url()).toBe(`${shop.origin}/order?n=1001`)
    await opened.close()
    await browser.desktop.hides('On its way')
  })

  it('shows a message once that is delivered twice', async () => {
    const { page } = await visit('twice')
    await call(page, 'subscribe()')
    const push = (title: string, tag: string) => browser.push(page, JSON.stringify({ title, body: 'Hello', tag }))
    await push('First', 'same')
    await push('Second', 'same')
    await browser.desktop.shows('Second')
    expect(shownTitles()).not.toContain('First')
  })

  it('without an address leads to the open page of the shop, or opens the shop', async () => {
    const { page, shop } = await visit('no-address')
    await call(page, 'subscribe()')
    for (const title of ['Here', 'Away']) await browser.push(page, JSON.stringify({ title, body: 'Hello' }))
    const [here, away] = [await browser.desktop.shows('Here'), await browser.desktop.shows('Away')]
    const before = browser.context.pages().length
    here.click()
    await browser.desktop.hides('Here')
    await page.goto('about:blank')
    away.click()
    const opened = await browser.opens(`${shop.origin}/`)
    expect(browser.context.pages()).toHaveLength(before + 1)
    await opened.close()
  })

  it('is not broken by what no server of ours sends', async () => {
    const { page, shop } = await visit('hostile')
    await call(page, 'subscribe()')
    const title = 'Hostile'
    const hostile = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '7',
      '{}',
      '{"title":"Hostile"}',
      '{"title":7,"body":{}}',
      '{"title":" ","body":"Hostile"}',
    ]
    for (const data of hostile) await browser.push(page, data)
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:null/1',
      '/relative',
      'x'.repeat(9_999),
      7,
      {},
    ])
      await browser.push(page, JSON.stringify({ title, body: 'Hello', tag: 'hostile', url, icon: url }))
    await browser.push(page, JSON.stringify({ title: 'L'.repeat(3_000), body: 'b'.repeat(100_000), tag: ['list'], more: { deep: [[[]]] } }))
    await browser.desktop.shows('L'.repeat(255))
    expect(shownTitles().filter((shown) => shown.includes(title))).toEqual([title])
    const kept = `navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) => all.map(({ data, icon }) => [data.tidings.url, icon]))`
    expect(await page.evaluate(kept)).toEqual([
      [null, ''],
      [null, ''],
    ])
    ;(await browser.desktop.shows(title)).click()
    await browser.desktop.hides(title)
    await browser.push(page, JSON.stringify({ title: 'Still here', body: 'Hello', url: `${shop.origin}/`, tag: 'next' }))
    await browser.desktop.shows('Still here')
  })

  it('says that the visitor has refused', async () => {
    const { page, shop } = await visit('denied', 'undecided')
    const session = await browser.context.newCDPSession(page)
    await session.send('Browser.setPermission', { permission: { name: 'notifications' }, setting: 'denied', origin: shop.origin })
    expect([await call(page, 'state()'), await call(page, 'subscribe()')]).toEqual(['denied', 'denied'])
    expect(shop.messages).toEqual([])
  })

  it('renews a subscription under another key with its own', async () => {
    const { shop, page } = await visit('renews-other-key')
    await call(page, 'subscribe()')
    await page.evaluate(SUBSCRIBE_UNDER_ANOTHER_KEY)
    const worker = await eventually(
      async () => browser.context.serviceWorkers().find((one) => one.url().startsWith(shop.origin)) ?? null,
      (found) => found !== null,
    )
    await worker?.evaluate(`void self.dispatchEvent(new ExtendableEvent('pushsubscriptionchange'))`)
    await eventually(
      async () => shop.messages.length,
      (count) => count === 2,
    )
    expect(await call(page, 'state()')).toBe('subscribed')
  })

  it('renews the subscription without a page, and tells the shop which one it replaces', async () => {
    const { page, shop } = await visit('renews', 'undecided')
    await browser.setNotifications(shop.origin, 'allow')
    await call(page, 'subscribe()')
    await page.close()
    // Chromium ends the subscription with the permission, and fires `pushsubscriptionchange` when it is given again.
    await browser.setNotifications(shop.origin, 'block')
    const endpoint = shop.messages[0]?.message.subscription.endpoint ?? ''
    await eventually(
      async () => browser.vendor.isLive(endpoint),
      (isLive) => !isLive,
    )
    await browser.setNotifications(shop.origin, 'allow')
    await eventually(
      async () => shop.messages.length,
      (count) => count === 2,
    )
    const [first, second] = shop.messages
    expect(second?.message.replaces).toBe(first?.message.subscription.endpoint)
    expect(second?.message.subscription.endpoint).not.toBe(first?.message.subscription.endpoint)
    expect(second?.message.subscription).toMatchObject({ browser: 'Chrome', platform: 'Linux' })
    expect(second?.cookie).toBe('session=ada')
  })
})
