import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumOrLeftOut, launch } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { buildPages, openDashboard } from '../support/dashboard.ts'
import { outboxOf } from '../support/outbox.ts'
import { profilesOf } from '../support/profiles.ts'
import { call, cookiesOf, newLink } from '../support/users.ts'
import { startWorld, type World } from '../support/world.ts'

const PASSWORD = 'correct horse battery'
const OWNER = 'owner@acme.example'
const HOSTILE = '<script>top.document.title = "owned"; fetch("https://evil.example")</script><style>h1 { color: rgb(1, 2, 3) }</style>'

const chromium = chromiumOrLeftOut()
const WIDE = { width: 1280, scheme: 'light', language: 'en' } as const

const MEMBER = 'member@acme.example'
const HOSTILE_NAME = '<img src=x onerror=alert(1)>\u202egnp.exe'
const FILE = `
users:
  - { email: ${OWNER}, password: ${PASSWORD}, role: owner }
  - { email: ${MEMBER}, password: ${PASSWORD}, role: member }
lists: [{ name: Newsletter, type: static }]
templates: [{ name: welcome, channel: email, subject: Welcome, html: "<p>Hello {{firstName}}</p>" }]`

let noa: string
let message: string
let world: World
let acme: Client
let browser: Browser | undefined
beforeAll(async () => {
  await buildPages()
  world = await startWorld()
  acme = await world.workspace('acme', FILE)
  noa = (await profilesOf(acme).create({ email: 'noa@example.com', firstName: 'נועה', lastName: 'לוי', emailConsent: 'subscribed' })).id
  await profilesOf(acme).create({ email: 'mallory@example.com', firstName: HOSTILE_NAME, notes: '</td></table><b>bold' })
  message = await acme.send('noa@example.com', { subject: 'Spring', html: '<p>Spring is here.</p>' })
  await acme.messageWith(message, 'sent')
  if (chromium !== null) browser = await launch(chromium)
})
afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

const started = (): Browser => {
  if (browser === undefined) throw new Error('there is no browser')
  return browser
}

const open = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(`${world.url}${path}`, { redirect: 'manual', headers })
const assetOf = (page: string): string => /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''

const unpacked = async (zip: Buffer, name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-proof-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'proof.zip'), zip)
  await promisify(execFile)('python3', ['-m', 'zipfile', '-e', join(folder, 'proof.zip'), folder])
  return join(folder, name)
}

/** The line that an anchor has of the head of a proof. */
const anchorOf = async (folder: string): Promise<string> =>
  `${JSON.stringify(JSON.parse(await readFile(join(folder, 'proof.json'), 'utf8')).head)}\n`

/** Drops files on the place of the anchor, and waits until the first is named. */
const dropped = async (page: Page, files: Readonly<Record<string, string>>): Promise<void> => {
  const dataTransfer = await page.evaluateHandle(
    `((files) => {
      const data = new DataTransfer()
      for (const [name, text] of files) data.items.add(new File([text], name))
      return data
    })(${JSON.stringify(Object.entries(files))})`,
  )
  const place = page.getByRole('region', { name: 'The anchor' })
  await place.dispatchEvent('drop', { dataTransfer })
  await place.getByText(Object.keys(files)[0] ?? '').waitFor()
}

describe('the pages', () => {
  it.each(['/dashboard', '/dashboard/w/acme/profiles?search=a%26b', '/dashboard/system'])(
    'lead to the sign-in and back without a session: %s',
    async (path) => {
      for (const cookie of ['', 'sender_session=made-up']) {
        const answer = await open(path, { Cookie: cookie })
        expect(answer.status).toBe(302)
        expect(answer.headers.get('location')).toBe(`/dashboard/login?back=${encodeURIComponent(path)}`)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    },
  )

  it('are shown with a session, under a policy whose nonce is never the same', async () => {
    const { sender_session: token = '' } = cookiesOf(
      await call(world.url, 'POST /auth/login', { body: { email: OWNER, password: PASSWORD } }),
    )
    const answers = await Promise.all([1, 2].map(() => open('/dashboard/w/acme/profiles', { Cookie: `sender_session=${token}` })))
    const nonces = await Promise.all(
      answers.map(async (answer) => /name="nonce" content="([\w-]{22})"/.exec(await answer.text())?.[1] ?? ''),
    )
    expect(new Set(nonces).size).toBe(2)
    answers.forEach(({ status, headers }, index) => {
      expect(status).toBe(200)
      expect(headers.get('content-security-policy')).toBe(
        `default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'nonce-${nonces[index]}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      )
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
    })
  })

  it('have scripts that a browser keeps for ever, compressed where it takes that', async () => {
    const path = assetOf(await (await open('/dashboard/login')).text())
    const plain = await open(path, { 'Accept-Encoding': 'identity' })
    const packed = await open(path, { 'Accept-Encoding': 'br, gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await packed.text()).toBe(await plain.text())
    for (const { headers } of [plain, packed]) {
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(headers.get('vary')).toContain('accept-encoding')
    }
  })

  it.each(['nothing-here.js', '..%2F..%2Fdashboard.json', '..%2Findex.html', '.js', 'index.html', 'a.js%00', 'x'.repeat(250)])(
    'have no other file: %s',
    async (name) => {
      expect([400, 404]).toContain((await open(`/dashboard/assets/${name}`)).status)
    },
  )
})

describe('the mailbox of this machine', () => {
  it('is a page for a browser, and JSON for every program', async () => {
    const kinds = async (accept: string) => (await open('/dev/outbox', { Accept: accept })).headers.get('content-type')
    expect(await kinds('text/html,application/xhtml+xml,*/*;q=0.8')).toContain('text/html')
    for (const accept of ['*/*', 'application/json', 'text/*', 'text/html-x']) expect(await kinds(accept)).toContain('application/json')
    expect((await open('/dev/mailbox')).status).toBe(200)
  })

  it('shows a mail as it looks under a policy of its own', async () => {
    await acme.messageWith(await acme.send('ada@example.com', { subject: 'Hostile', html: HOSTILE }), 'sent')
    const [{ id } = { id: '' }] = await outboxOf(world).list('?to=ada@example.com')
    const policies = await Promise.all(
      ['', '?images=1'].map(async (query) => (await open(`/dev/outbox/${id}/html${query}`)).headers.get('content-security-policy')),
    )
    expect(policies).toEqual([
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; frame-ancestors 'self'",
    ])
    expect((await open(`/dev/outbox/${crypto.randomUUID()}/html`)).status).toBe(404)
  })
})

describe.runIf(chromium !== null)('in a browser', () => {
  it('a link signs in once, and leaves its token nowhere', async () => {
    const token = await newLink(world.stores, acme, OWNER)
    const { page, problems, close } = await openDashboard(started(), 'dashboard link', WIDE)
    await page.goto(`${world.url}/dashboard/link#${token}`)
    await page.getByRole('button', { name: 'Account' }).waitFor()
    expect(page.url()).not.toContain(token)
    await page.goBack({ waitUntil: 'commit' })
    await page.waitForURL('about:blank')
    expect(problems).toEqual([])
    await page.goto(`${world.url}/dashboard/link#${token}`)
    await page.getByRole('heading', { name: 'This link does not sign in' }).waitFor()
    await page.getByText('The link was used, has expired or was never made').waitFor()
    await close()
  })

  it('a proof is checked without a session, and nothing is sent', async () => {
    const { sender_session: token = '' } = cookiesOf(
      await call(world.url, 'POST /auth/login', { body: { email: OWNER, password: PASSWORD } }),
    )
    const zip = Buffer.from(
      await (await open(`/api/v1/dashboard/profiles/${noa}/proof`, { Authorization: `Bearer ${token}` })).arrayBuffer(),
    )
    const { fingerprint } = (await (await open('/.well-known/tidings-log-key')).json()) as Readonly<{ fingerprint: string }>
    const { page, problems, close } = await openDashboard(started(), 'dashboard verify', WIDE)
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
    await page.goto(`${world.url}/dashboard/verify`)
    const choose = (buffer: Buffer) =>
      page.getByLabel('Choose a zip').setInputFiles({ name: 'proof.zip', mimeType: 'application/zip', buffer })
    const checked = async (verdict: string): Promise<void> => {
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await page.getByRole('heading', { name: verdict, exact: true }).waitFor()
    }
    await choose(zip)
    await checked('Consistent in itself')
    const loaded = asked.length
    const field = page.getByLabel('Fingerprint of the key of the log')
    await field.fill(`SHA ${fingerprint}`)
    await page.getByText('A fingerprint has 64 hexadecimal digits.').waitFor()
    await field.fill(fingerprint.toUpperCase())
    await checked('Genuine')
    await page.getByText(/^OK: 1 contact, 1 consent and /).waitFor()
    await page.getByText(noa).waitFor()
    await field.fill('0'.repeat(64))
    await checked('Not genuine')
    await page.getByText(/^The export is signed by another key than yours: by /).waitFor()
    await choose(zip.subarray(0, -30))
    await checked('Not checked')
    await page.getByText('The zip is damaged. Download it again.').waitFor()
    const folder = await unpacked(zip, `proof-${noa}`)
    await page.getByLabel('Choose a folder').setInputFiles(folder)
    await field.fill('')
    const heads = await anchorOf(folder)
    await dropped(page, { 'mine.jsonl': heads })
    await checked('Genuine')
    await dropped(page, { 'changed.jsonl': heads.replace('"size":', '"size":1') })
    await checked('Not genuine')
    await dropped(page, { 'two.jsonl': heads, 'three.jsonl': heads })
    await checked('Not checked')
    await page.getByText(/^More than one file was chosen as the anchor/).waitFor()
    expect(asked.slice(loaded)).toEqual([])
    const own = new RegExp(`^GET (data:.*|${world.url}/dashboard/(verify|assets/[\\w.-]+))$`)
    expect(asked.filter((one) => !own.test(one))).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('a mail that tries to run runs nothing, and looks as it was written', async () => {
    const { page, problems, close } = await openDashboard(started(), 'dashboard hostile mail', WIDE)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).host))
    await page.goto(`${world.url}/dev/mailbox`)
    const frame = page.frameLocator('iframe[title="Hostile"]')
    await frame.locator('body').waitFor({ state: 'attached' })
    expect(await page.title()).toBe('Mailbox of this machine · Tidings')
    expect(new Set(asked)).toEqual(new Set([new URL(world.url).host]))
    expect(problems).toEqual([])
    await close()
  })

  /** Signs in by the form; the page that was asked for first is open then. */
  const signIn = async (page: Page, { email, path }: Readonly<{ email: string; path: string }>): Promise<void> => {
    await page.goto(`${world.url}${path}`)
    await page.locator('input[type=email]').fill(email)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.locator('button[type=submit]').click()
    await page.waitForURL(`${world.url}${path}`)
  }

  it('somebody signs in, finds a person by the keyboard, blocks and unblocks a channel, and reads a message', async () => {
    const { page, problems, close } = await openDashboard(started(), 'dashboard task', WIDE)
    await signIn(page, { email: MEMBER, path: '/dashboard/w/acme/profiles?search=noa' })
    await page.getByRole('link', { name: 'נועה לוי' }).waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Email, phone or id' })
    await field.fill('noa@example.com')
    await page.getByRole('option', { name: /noa@example\.com/ }).waitFor()
    await field.press('Enter')
    await page.waitForURL(`${world.url}/dashboard/w/acme/profiles/${noa}`)
    await page.getByRole('heading', { level: 1, name: 'נועה לוי' }).waitFor()
    await expect.poll(() => page.evaluate<string>('document.activeElement.tagName')).toBe('H1')
    for (const verb of ['Block email', 'Unblock email']) {
      await page.getByRole('button', { name: verb }).click()
      await page.getByRole('dialog').getByRole('button', { name: verb }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const isBlocked = verb === 'Block email'
      await expect.poll(async () => (await profilesOf(acme).get(noa)).emailSuppressed).toBe(isBlocked)
    }
    await page.keyboard.press('Control+k')
    await field.fill(message)
    await page.getByRole('option', { name: /email · sent/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor()
    await page.getByText('sent', { exact: true }).first().waitFor()
    await page.getByRole('region', { name: 'Why' }).getByRole('listitem').first().waitFor()
    await page.frameLocator('iframe[title="As it looks"]').getByText('Spring is here.').waitFor()
    await page.getByRole('link', { name: 'Messages' }).first().click()
    const focused = () => page.evaluate<string>('document.activeElement.tagName + " " + document.activeElement.textContent')
    await expect.poll(focused).toBe('H1 Messages')
    await page.getByRole('status').getByText('Messages', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('bounced')
    await page.getByText('No message matches.').waitFor()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('sent')
    await page.getByRole('table', { name: 'Messages' }).getByRole('row').nth(1).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor()
    // What owners and admins do is not offered to a member.
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    // An id may be that of a profile or a message: the browser itself says that the other was answered 404.
    expect(problems.filter((problem) => !problem.includes('status of 404'))).toEqual([])
    await close()
  })

  it('an owner makes a key that is shown once, revokes it, and signs out', async () => {
    const { page, problems, close } = await openDashboard(started(), 'dashboard keys', WIDE)
    await signIn(page, { email: OWNER, path: '/dashboard/w/acme/settings/tokens' })
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.getByRole('region', { name: 'Your new key' }).locator('pre').textContent()) ?? ''
    const ask = async () => (await open('/api/v1/public/me', { 'X-Sender-Tenant': 'acme', 'X-API-Key': key.trim() })).status
    await expect.poll(ask).toBe(200)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('button', { name: 'Revoke: Shop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Delete: Shop' }).waitFor()
    await world.settle()
    expect(await ask()).toBe(401)
    expect(await page.getByText(key.trim()).count()).toBe(0)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/dashboard/login')
    await page.goto(`${world.url}/dashboard/w/acme/settings/tokens`)
    expect(page.url()).toContain('/dashboard/login?back=')
    expect(problems).toEqual([])
    await close()
  })

  it('a link leads to its screen, though a newer build has replaced a part of that', async () => {
    const { page, close } = await openDashboard(started(), 'dashboard replaced part', WIDE)
    await signIn(page, { email: MEMBER, path: '/dashboard/w/acme/lists' })
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor()
    let asked = 0
    await page.route('**/dashboard/assets/*.js', (route) => (asked++ === 0 ? route.fulfill({ status: 404 }) : route.continue()))
    await page.getByRole('link', { name: 'Templates', exact: true }).click()
    await page.waitForURL(`${world.url}/dashboard/w/acme/templates`)
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    expect(asked).toBeGreaterThan(1)
    await close()
  })

  it('a link leads to its screen once the service is back, and says so until then in the place of the screen', async () => {
    const { page, close } = await openDashboard(started(), 'dashboard part away', WIDE)
    await signIn(page, { email: MEMBER, path: '/dashboard/w/acme/lists' })
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor()
    // A gateway answers so for a service that is away, and every page that is loaded is one of the gateway.
    await page.route(`${world.url}/**`, (route) => route.fulfill({ status: 502, contentType: 'text/plain', body: 'Bad Gateway' }))
    await page.getByRole('link', { name: 'Flows', exact: true }).click()
    const alert = page.getByRole('main').getByRole('alert')
    await alert.getByText('The service could not be reached.').waitFor()
    await alert.getByText('Check the connection, and whether the service runs.').waitFor()
    await page.getByRole('link', { name: 'Templates', exact: true }).waitFor()
    await page.unroute(`${world.url}/**`)
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor()
    expect(page.url()).toBe(`${world.url}/dashboard/w/acme/flows`)
    await close()
  })

  it('an answer that comes late takes no one away from where they went meanwhile', async () => {
    const { page, problems, close } = await openDashboard(started(), 'dashboard late answer', WIDE)
    await signIn(page, { email: MEMBER, path: '/dashboard/w/acme/lists' })
    const [sent, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/api/v1/dashboard/lists', async (route) => {
      sent.resolve()
      await mayGo.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'New list', exact: true }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Late')
    await page.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
    await sent.promise
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Templates', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    const answered = page.waitForResponse((response) => response.url().endsWith('/dashboard/lists'))
    mayGo.resolve()
    await (await answered).finished()
    await page.getByRole('button', { name: 'New template' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Typed meanwhile')
    expect(page.url()).toBe(`${world.url}/dashboard/w/acme/templates`)
    expect(problems).toEqual([])
    await close()
  })

  it('a link signs in, though a newer build has replaced its screen', async () => {
    const { page, close } = await openDashboard(started(), 'dashboard replaced link', WIDE)
    let asked = 0
    await page.route('**/dashboard/assets/link-*.js', (route) => (asked++ === 0 ? route.fulfill({ status: 404 }) : route.continue()))
    await page.goto(`${world.url}/dashboard/link#${await newLink(world.stores, acme, MEMBER)}`)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(asked).toBe(2)
    await close()
  })

  it('a session sees no other workspace', async () => {
    const { page, close } = await openDashboard(started(), 'dashboard other workspace', WIDE)
    await signIn(page, { email: OWNER, path: '/dashboard/w/acme/lists' })
    await page.goto(`${world.url}/dashboard/w/other/profiles`)
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor()
    await close()
  })
})
