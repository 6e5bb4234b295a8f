import { createHmac } from 'node:crypto'
import type { SenderDomainStatus, Senders } from '@tidings/contracts'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from '../support/answers.ts'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import { clicks } from '../support/clicks.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openAs, openDashboard } from '../support/dashboard.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import { profilesOf } from '../support/profiles.ts'
import { call, newLink, sessionOf } from '../support/users.ts'
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts'
import { startWorld, type World } from '../support/world.ts'
import { auditCases } from './audit.cases.ts'
import { connectorCases } from './connectors.cases.ts'
import { deadLetterCases } from './dead-letters.cases.ts'
import { eventCases } from './events.cases.ts'
import { fieldCases } from './fields.cases.ts'
import { formCases } from './forms.cases.ts'
import { senderCases } from './senders.cases.ts'

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const
const ADMIN = 'admin@integrator.example'
const FILE = `users: [{ email: ${ADMIN}, password: correct horse battery, role: admin }]`

let world: World
let dns: DnsServer
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  dns = await startDnsServer()
  // A second try comes after an hour: what failed once waits.
  world = await startWorld({
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    TIDINGS_WEBHOOK_BACKOFF_MS: '3600000',
    TIDINGS_WEBHOOK_TIMEOUT_MS: '60000',
    TIDINGS_DNS_SERVERS: dns.address,
  })
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
  await dns?.close()
})

/** A workspace with an admin, whose session is that of a link: no password is hashed. */
const withAdmin = async (slug: string) => {
  const email = `admin@${slug}.example`
  const client = await world.workspace(slug, `users: [{ email: ${email}, password: correct horse battery, role: admin }]`)
  const token = await newLink(world.stores, client, email)
  return { client, email, admin: sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle) }
}

senderCases(() => ({ world, dns, session: withAdmin }))
auditCases(() => ({ world, dns }))
connectorCases(() => ({ world, session: withAdmin }))
eventCases(() => ({ world, session: withAdmin }))
fieldCases(() => ({ world, session: withAdmin }))
formCases(() => ({ world, session: withAdmin }))
deadLetterCases(() => ({ world, session: withAdmin }))

describe.runIf(chromium !== null)('an integrator', () => {
  let client: Client
  let browser: Browser
  beforeAll(async () => {
    await buildPages()
    client = await world.workspace('integrator', FILE)
    browser = await launch(chromium ?? '')
  })
  afterAll(() => browser?.close())

  const opened = async (test: string, as: Readonly<{ client: Client; email: string }> = { client, email: ADMIN }) => {
    const { page, problems, close } = await openDashboard(browser, test, WIDE)
    await openAs(page, { world, ...as, path: `/dashboard/w/${as.client.slug}` })
    const { press, type, count } = await clicks(page)
    return { page, problems, close, press, type, count }
  }

  it('makes a key in three presses', async () => {
    const { page, problems, close, press, type, count } = await opened('key')
    await press(page.getByRole('link', { name: 'API keys' }))
    await press(page.getByRole('button', { name: 'New key' }))
    await type(page.getByRole('textbox', { name: 'Name' }), 'Shop')
    await press(page.getByRole('button', { name: 'Create key' }))
    const key = (await page.getByRole('region', { name: 'Your new key' }).locator('pre').textContent()) ?? ''
    expect(await count()).toBe(3)
    const headers = { 'X-Sender-Tenant': 'integrator', 'X-API-Key': key.trim() }
    await expect.poll(async () => (await fetch(`${world.url}/api/v1/public/me`, { headers })).status).toBe(200)
    expect(problems).toEqual([])
    await close()
  })

  it('tries all dead letters again in two presses, and gives them up with a reason', async () => {
    await insertDeadLetters(world, client.applied.workspace.id)
    const { page, problems, close, press, count } = await opened('dead letters')
    await press(page.getByRole('link', { name: 'Dead letters', exact: true }))
    await page.getByRole('checkbox', { name: 'Choose all of this page' }).check()
    await press(page.getByRole('button', { name: 'Try again' }))
    await page.getByText('Done for 2 dead letters.').waitFor()
    expect(await count()).toBe(2)
    await page.getByRole('button', { name: 'Give up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Give up 2 dead letters?' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Its consumer is gone.')
    await dialog.getByRole('button', { name: 'Give up' }).click()
    await dialog.getByText('Done for 2 dead letters.').waitFor()
    await page.getByText('Nothing failed so often').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('adds a webhook and sees a signed test delivery arrive in four presses', async () => {
    receiver.reply(() => 200)
    const { page, problems, close, press, type, count } = await opened('webhook test')
    await press(page.getByRole('link', { name: 'Webhooks' }))
    await press(page.getByRole('button', { name: 'New webhook' }).first())
    await type(page.getByRole('textbox', { name: 'Address' }), `${receiver.url}/first`)
    await press(page.getByRole('button', { name: 'Create webhook' }))
    const secret = ((await page.getByRole('region', { name: 'Signing secret' }).locator('pre').textContent()) ?? '').trim()
    await press(page.getByRole('button', { name: 'Kept: send a test' }))
    const tries = page.getByRole('table', { name: 'Tries' })
    await tries.getByText('delivered').waitFor()
    expect(await count()).toBe(4)
    const [received] = await receiver.wait('/first', 1)
    expect(received?.event).toBe('webhook.test')
    const signature = createHmac('sha256', secret)
      .update(received?.raw ?? '')
      .digest('hex')
    expect(received?.headers['x-sender-signature']).toBe(`sha256=${signature}`)
    await page.getByText('1 of 1 arrived').first().waitFor()
    expect(await page.getByText(secret).count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it('sees in three presses why a delivery failed and what was in it, and delivers it again', async () => {
    receiver.reply(() => 503)
    const body = { url: `${receiver.url}/fails`, events: ['contact.created'], label: 'Order service' }
    await client.request('POST', '/public/webhooks', body)
    await profilesOf(client).create({ email: 'ada@integrator.example', firstName: 'Ada\u202e<b>' })
    const [received] = await receiver.wait('/fails', 1)
    const { page, problems, close, press, count } = await opened('webhook failed')
    await press(page.getByRole('link', { name: 'Webhooks' }))
    await press(page.getByRole('link', { name: /Order service/ }))
    await press(page.getByRole('table', { name: 'Tries' }).getByRole('link', { name: 'contact.created' }))
    await page.getByText('the receiver answered 503').first().waitFor()
    const shown = (await page.getByRole('region', { name: 'Body' }).locator('pre').textContent()) ?? ''
    expect(shown).toBe(received?.raw.toString())
    expect(await count()).toBe(3)

    await press(page.getByRole('button', { name: 'Sign it for curl' }))
    const command = page.getByRole('region', { name: 'As curl, signed now' })
    expect(await command.locator('pre').textContent()).toContain(String(received?.headers['x-sender-signature']))
    receiver.reply(() => 200)
    await press(page.getByRole('button', { name: 'Deliver again' }))
    const [, again] = await receiver.wait('/fails', 2)
    expect(again?.raw).toEqual(received?.raw)
    await page.getByRole('table', { name: 'Tries' }).getByText('delivered').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('makes a form in a dialog, and chooses what stays where somebody else has changed it meanwhile', async () => {
    const { client: own, admin, email } = await withAdmin('dialogs')
    const { lists } = (await world.workspace('dialogs', 'lists: [{ name: VIP, type: static }, { name: News, type: static }]')).applied
    const { page, problems, close } = await opened('dialogs', { client: own, email })
    await page.getByRole('link', { name: 'Forms', exact: true }).click()
    await page.getByRole('button', { name: 'New form' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Id' }).fill('footer')
    expect(await dialog.getByRole('button', { name: 'Create form' }).isDisabled()).toBe(true)
    await dialog.getByRole('combobox').first().selectOption({ label: 'VIP' })
    await dialog.getByRole('button', { name: 'Create form' }).click()
    await page.getByRole('heading', { name: 'footer' }).waitFor()
    const looks = page.getByRole('region', { name: 'How it looks' })
    const frame = page.frameLocator('iframe[title="How it looks"]')
    await frame.getByText('Thank you, you are subscribed.').waitFor()
    await looks.getByRole('combobox', { name: 'Language of the page' }).selectOption('he')
    await frame.getByRole('button', { name: 'הרשמה' }).waitFor()

    await page.getByRole('button', { name: 'Change', exact: true }).click()
    expect(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Archived' }).check()
    const { etag } = dataOf<{ etag: string }>(await admin.call('GET /dashboard/forms/footer'), 200)
    const theirs = { body: { listId: lists.News, confirmation: null, archived: false }, headers: { 'If-Match': `"${etag}"` } }
    expect((await admin.call('PUT /dashboard/forms/footer', theirs)).status).toBe(200)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByRole('alert').getByText('News').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Save mine over it' }).click()
    await dialog.waitFor({ state: 'detached' })
    const kept = dataOf<{ archived: boolean; list: { name: string } }>(await admin.call('GET /dashboard/forms/footer'), 200)
    expect(kept).toMatchObject({ archived: true, list: { name: 'VIP' } })
    expect(problems.filter((problem) => !problem.includes('status of 409'))).toEqual([])
    await close()
  })

  it('publishes DNS records and checks them now in three presses', async () => {
    const { admin, ...as } = await withAdmin('publisher')
    const body = { domain: 'mail.publisher.example' }
    const { records } = dataOf<SenderDomainStatus>(await admin.call('POST /dashboard/senders/domains', { body }), 201)
    const { page, problems, close, press, count } = await opened('senders', as)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await press(page.getByRole('link', { name: 'Senders' }))
    const domain = page.getByRole('region', { name: 'mail.publisher.example', exact: true })
    await press(domain.getByRole('region', { name: /^Value of .*Proof/ }).getByRole('button', { name: 'Copy' }))
    await domain.getByText('✓ Copied').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toBe(records[0]?.value)
    dns.texts.set('_tidings.mail.publisher.example', [copied])
    await press(domain.getByRole('button', { name: 'Check now' }))
    await domain.getByText('verified', { exact: true }).waitFor()
    expect(await count()).toBe(3)
    const { domains } = dataOf<Senders>(await admin.call('GET /dashboard/senders'), 200)
    expect(domains.find((one) => one.domain === body.domain)).toMatchObject({ verified: true, by: 'dns' })
    expect(problems).toEqual([])
    await close()
  })
})
