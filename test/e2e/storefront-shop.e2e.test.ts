import type { MessageEvent } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { type DocumentedShop, startDocumentedShop } from './support/documented-shop.ts'
import { eventually } from './support/eventually.ts'
import { profilesOf } from './support/profiles.ts'
import { type PushBrowser, pushBrowserOrLeftOut, startPushBrowser } from './support/push-browser.ts'
import { storedEvents } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

const file = (url: string): string => `
customEvents: [{ name: order_shipped, label: Order shipped }]
templates:
  - name: shipped
    channel: push
    push: { title: "On its way, {{firstName}}", body: "Your order has left our house", url: "${url}" }
flows:
  - { name: Shipped, trigger: { type: custom_event, event: order_shipped }, steps: [ { send: { channel: push, template: shipped } } ] }
`

/** The address that links lead to: the test's service listens on a port that it does not know beforehand. */
const PUBLIC_HOST = 'messages.acme.example'

const chromium = pushBrowserOrLeftOut()

describe.runIf(chromium !== null)('the shop of the how-to', () => {
  let world: World
  let browser: PushBrowser
  let acme: Client
  let shop: DocumentedShop
  beforeAll(async () => {
    world = await startWorld({
      TIDINGS_VAPID_PRIVATE_KEY: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
      // The push vendor is on a port of this machine.
      TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
      TIDINGS_PUBLIC_URL: `http://${PUBLIC_HOST}`,
    })
    browser = await startPushBrowser(chromium ?? '', { [PUBLIC_HOST]: new URL(world.url).host })
    acme = await world.workspace('acme')
    shop = await startDocumentedShop(acme, browser.vendor.addressOf)
    await browser.context.grantPermissions(['notifications'], { origin: shop.origin })
  })
  afterAll(async () => {
    await shop?.close()
    await browser?.close()
    await world?.stop()
  })

  it('registers its visitor', async () => {
    const { page } = await browser.open(`${shop.origin}/`, 'documented-shop')
    await page.getByRole('button', { name: 'Tell me when' }).click()
    await page.getByText('You will hear from us.').waitFor()
    expect((await profilesOf(acme).lookup('ada@example.com')).pushConsent).toBe('subscribed')
    await page.reload()
    await page.getByText('You will hear from us.').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it('shows what a flow pushes; the click is counted and leads to the order', async () => {
    const target = `${shop.origin}/shop.js`
    const { workspace } = (await world.workspace('acme', file(target))).applied
    const { id } = await profilesOf(acme).upsert({ email: 'ada@example.com', firstName: 'Ada' })
    dataOf(await acme.request('POST', '/events/ingest', { event: 'order_shipped', contactId: id }), 200)

    const shown = await browser.desktop.shows('On its way, Ada')
    expect(browser.vendor.taken).toHaveLength(1)
    expect(browser.vendor.taken[0]?.body.includes('On its way')).toBe(false)
    shown.click()
    expect((await browser.opens(target)).url()).toBe(target)

    const stored = await eventually(
      () => storedEvents(world.stores.store),
      (all) => all.some(({ type }) => type === 'PushClicked'),
    )
    const stream = stored.find(({ type }) => type === 'PushClicked')?.stream ?? ''
    const clicks = (await world.stores.log.readStream<MessageEvent>(workspace.id, stream)).filter(({ type }) => type === 'PushClicked')
    expect(clicks.map(({ data }) => data)).toEqual([expect.objectContaining({ contactId: id, machine: false, url: target })])
  })
})
