import type { Profile } from '@tidings/contracts'
import { asContactId, type ContactEvent, contactStream, type SignUpEvent } from '@tidings/domain'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch, openPage } from './support/browser.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { formOf } from './support/forms.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { embedTag, type ShopSite, startShopSite } from './support/shop-site.ts'
import { storedEvents } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

const SIGN_UPS_A_MINUTE = 40

const fileOf = (origin: string): string => `
features: [embedded_forms]
formOrigins: ["${origin}"]
lists: [{ name: VIP, type: static }]
templates: [{ name: confirm, channel: email, subject: Please confirm, html: "<a href='{{confirmUrl}}'>Yes</a>" }]
forms:
  - { id: footer, list: VIP }
  - { id: careful, list: VIP, doubleOptIn: true, template: confirm, from: hello@acme.example }`

const OWN_FORM = `<form id="mine">
  <label>First name <input name="firstName"></label> <label>Email <input type="email" name="email"></label>
  <label>Phone <input name="phone"></label> <label><input type="checkbox" name="likes" value="tea"> Tea</label>
  <label><input type="checkbox" name="likes" value="coffee"> Coffee</label>
  <button>Join</button> <output data-tidings-status></output></form>`

const chromium = chromiumOrLeftOut()

describe.runIf(chromium !== null)('an embedded form in a browser', () => {
  let world: World
  let allowed: ShopSite
  let refused: ShopSite
  let browser: Browser
  let acme: Client
  let pageKey: string
  beforeAll(async () => {
    world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: String(SIGN_UPS_A_MINUTE) })
    allowed = await startShopSite(world.url)
    refused = await startShopSite(world.url)
    acme = await world.workspace('acme', fileOf(allowed.origin))
    const page = await world.apply('workspace: { slug: acme, name: acme }\napiKeys: [{ name: page, publishable: true }]')
    pageKey = page.apiKeys[0]?.key ?? ''
    browser = await launch(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([allowed?.close(), refused?.close()])
    await world?.stop()
  })

  type ShownForm = Readonly<{ site?: ShopSite; key?: string; formId?: string; attributes?: string; html?: string; before?: string }>

  /** A page of a shop with the script in it, as a visitor opens it. */
  const visit = async (test: string, { site = allowed, html = '<html lang="en">', before = '', ...tag }: ShownForm = {}) => {
    const opened = await openPage(browser, test)
    await opened.page.goto(
      site.page(`<!doctype html>${html}<title>Shop</title><body>${before}${embedTag({ ...acme, key: pageKey, ...tag })}</body></html>`),
    )
    return opened
  }
  const status = (page: Page) => page.getByRole('status')
  const said = (page: Page, text: string) => status(page).filter({ hasText: text }).waitFor()
  // The page is answered within two seconds, also where reads show what it wrote later (M2).
  const lookup = async (email: string) => {
    await acme.shown()
    return await acme.request('GET', `/public/profiles/lookup?email=${email}`)
  }
  const contactOf = async (email: string): Promise<Profile> => {
    await acme.shown()
    return await profilesOf(acme).lookup(email)
  }

  it('is used with the keyboard alone, under a strict policy, and sets no cookie', async () => {
    const { page, problems } = await visit('keyboard', { formId: 'footer' })
    await page.keyboard.press('Tab')
    await page.keyboard.type('ada@example.com')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe('Subscribe')
    await page.keyboard.press('Enter')
    await said(page, 'Thank you, you are subscribed.')
    expect(problems).toEqual([])
    expect(await page.context().cookies()).toEqual([])
    const { id, emailConsent } = await contactOf('ada@example.com')
    expect(emailConsent).toBe('subscribed')
    const { id: workspaceId } = acme.applied.workspace
    const events = await world.stores.log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, asContactId(id)))
    expect(events.find(({ type }) => type === 'ContactConsentRecorded')?.data).toMatchObject({
      ip: '127.0.0.1',
      userAgent: expect.stringContaining('Chrome'),
    })
    const stream = (await storedEvents(world.stores.store)).find((event) => event.stream.startsWith(`signup-${workspaceId}`))?.stream
    const [submitted] = await world.stores.log.readStream<SignUpEvent>(workspaceId, stream ?? '')
    expect(submitted?.data).toMatchObject({ formId: 'footer', sourceUrl: expect.stringMatching(/^http:\/\/127[^#]*utm_source=test$/) })
  })

  it('says what each part is to a screen reader, and hides the honeypot from everyone', async () => {
    const { page } = await visit('names')
    expect(await page.getByLabel('Email address').getAttribute('autocomplete')).toBe('email')
    expect(await page.getByRole('textbox').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Subscribe' }).count()).toBe(1)
    expect(await status(page).getAttribute('aria-live')).toBe('polite')
    const box = await page.locator('[name=_website]').locator('..').boundingBox()
    expect([box?.width, box?.height]).toEqual([1, 1])
  })

  it('names a mistake in plain words at its field, and sends nothing', async () => {
    const { page } = await visit('mistake')
    const requests: string[] = []
    page.on('request', ({ url }) => requests.push(url.toString()))
    const email = page.getByLabel('Email address')
    for (const wrong of ['', 'ada', 'ada@']) {
      await email.fill(wrong)
      await page.getByRole('button').click()
      await said(page, 'Please enter a valid email address.')
      expect(await email.getAttribute('aria-invalid')).toBe('true')
      expect(await email.getAttribute('aria-describedby')).toBe(await status(page).getAttribute('id'))
      expect(await email.evaluate(`document.activeElement.name`)).toBe('email')
    }
    expect(requests).toEqual([])
  })

  it('at an origin that is not allowed does not work, and writes nothing', async () => {
    const { page } = await visit('refused', { site: refused })
    await page.getByLabel('Email address').fill('refused@example.com')
    await page.getByRole('button').click()
    await said(page, 'That did not work.')
    expect((await lookup('refused@example.com')).status).toBe(404)
  })

  it('reads from right to left in a page that does, in Hebrew', async () => {
    const { page, problems } = await visit('hebrew', { formId: 'footer', html: '<html lang="he" dir="rtl">' })
    const [input, button] = [await page.getByRole('textbox').boundingBox(), await page.getByRole('button').boundingBox()]
    expect(input!.x).toBeGreaterThan(button!.x)
    expect(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true)
    await page.getByLabel('כתובת דואר אלקטרוני').fill('ivrit@example.com')
    await page.getByRole('button', { name: 'הרשמה' }).click()
    await said(page, 'תודה')
    expect(problems).toEqual([])
  })

  it('speaks the language that its tag asks for', async () => {
    const { page } = await visit('language', { attributes: 'data-lang="he"' })
    expect(await page.locator('form').getAttribute('lang')).toBe('he')
    expect(await page.getByRole('button', { name: 'הרשמה' }).count()).toBe(1)
  })

  it("works in the shop's own markup, with its own fields, and leaves out what is blank", async () => {
    const { page, problems } = await visit('own', { formId: 'footer', before: OWN_FORM, attributes: 'data-target="#mine" async' })
    await page.locator('[name=_website]').waitFor({ state: 'attached' })
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByLabel('Tea').check()
    await page.getByLabel('Coffee').check()
    await page.getByRole('button').click()
    await said(page, 'Thank you')
    expect(await contactOf('grace@example.com')).toMatchObject({
      firstName: 'Grace',
      phone: null,
      customProperties: { likes: ['tea', 'coffee'] },
    })
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByLabel('Phone').fill('call me')
    await page.getByRole('button').click()
    // The page could read the 400 and its code.
    await said(page, 'Please check the phone number.')
    // The console of the browser names every answer over 399.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  })

  it('of a program that fills in everything looks done, and writes nothing', async () => {
    const { page } = await visit('honeypot', { formId: 'footer' })
    await page.getByLabel('Email address').fill('bot@example.com')
    await page.evaluate(`document.querySelector('[name=_website]').value = 'https://spam.example'`)
    await page.getByRole('button').click()
    await said(page, 'Thank you')
    expect((await lookup('bot@example.com')).status).toBe(404)
  })

  it('that asks to confirm says so, and the button of the mail does it', async () => {
    const { page } = await visit('confirm', { formId: 'careful' })
    await page.getByLabel('Email address').fill('careful@example.com')
    await page.getByRole('button').click()
    await said(page, 'Almost done')
    const mails = await eventually(
      () => outboxOf(world).list('?channel=email'),
      (all) => all.some(({ to }) => to.includes('careful@example.com')),
    )
    const link = /\/forms\/confirm[?]t=[\w-]+/.exec(mails.find(({ to }) => to.includes('careful@example.com'))?.html ?? '')?.[0]
    await page.goto(`${world.url}${link}`)
    await page.getByRole('button', { name: 'Yes, subscribe me' }).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    expect((await contactOf('careful@example.com')).emailConsent).toBe('subscribed')
  })

  it('refuses a secret key, in a sentence for the author of the page', async () => {
    for (const key of [acme.key, ` ${acme.key}`, acme.key.toUpperCase()]) {
      const { page, problems } = await visit('secret', { key, formId: 'footer' })
      await expect.poll(() => problems).toEqual([expect.stringContaining('a secret key in a page opens all contacts to its readers')])
      expect(await page.getByRole('textbox').count()).toBe(0)
    }
  })

  it('takes a secret key where the tag says that it may', async () => {
    const { page, problems } = await visit('allowed-secret', { key: acme.key, formId: 'footer', attributes: 'data-allow-secret' })
    await page.getByLabel('Email address').fill('secret@example.com')
    await page.getByRole('button').click()
    await said(page, 'Thank you')
    expect(problems).toEqual([])
  })

  it('says that it was tried too often', async () => {
    const form = formOf(acme, allowed.origin)
    // The minute in which the tests before began to count may end in the middle of these: from the first refusal on it is a minute.
    await expect.poll(async () => (await form.subscribe({})).status, { interval: 1 }).toBe(429)
    const { page } = await visit('often')
    await page.getByLabel('Email address').fill('often@example.com')
    await page.getByRole('button').click()
    await said(page, 'Too many tries.')
  })
})
