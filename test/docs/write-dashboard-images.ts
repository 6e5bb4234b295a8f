// Writes docs/images/dashboard-*.webp, the main screens of the running product with data of its own: npm run pictures. It needs Chromium.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Applied } from '@tidings/provisioning'
import type { Page } from 'playwright-core'
import { paths } from '../../dashboard/src/paths.ts'
import { findChromium, launch } from '../e2e/support/browser.ts'
import { type Client, clientOf } from '../e2e/support/client.ts'
import { buildPages } from '../e2e/support/dashboard.ts'
import { profilesOf } from '../e2e/support/profiles.ts'
import { ROOT } from './markdown.ts'
import { type StartedService, startTidings } from './service.ts'

const FILE = `
workspace: { slug: shop, name: Shop }
users: [{ email: dana@shop.example, password: correct horse battery, role: owner }]
apiKeys: [{ name: checkout }]
senderDomains: [{ domain: shop.example, verified: true }]
senderAddresses: [{ email: hello@shop.example, name: Shop, verified: true }]
templates:
  - { name: receipt, channel: email, subject: "Your receipt, {{firstName|friend}}", html: "<h1>Thank you, {{firstName|friend}}.</h1><p>Your tea is on its way. It arrives on Thursday.</p>" }
  - { name: spring, channel: email, subject: "Spring is here, {{firstName|friend}}", html: "<h1>Spring is here</h1><p>{{firstName|friend}}, <a href='https://shop.example/spring'>see what is new</a>.</p><p><a href='{{unsubscribeUrl}}'>No more mail</a></p>" }
lists: [{ name: Newsletter, type: static }]
campaigns: [{ name: Spring sale, channel: email, list: Newsletter, template: spring, from: hello@shop.example }]`

const PEOPLE = [
  ['noa@example.com', 'נועה', 'לוי'],
  ['ada@example.com', 'Ada', 'Lovelace'],
  ['grace@example.com', 'Grace', 'Hopper'],
  ['katherine@example.com', 'Katherine', 'Johnson'],
  ['radia@example.com', 'Radia', 'Perlman'],
  ['barbara@example.com', 'Barbara', 'Liskov'],
] as const

const SIZE = { width: 1280, height: 800 }
const tidings = async ({ env }: StartedService, args: readonly string[], input = '') => {
  const running = promisify(execFile)(process.execPath, [join(ROOT, 'packages/cli/bin/tidings.mjs'), ...args], { env })
  running.child.stdin?.end(input)
  return (await running).stdout
}

type Profiles = ReturnType<typeof profilesOf>

/** Somebody who changed her name and took back her yes, and the moment before. */
async function changeNoa(profiles: Profiles, id: string): Promise<string> {
  const before = new Date().toISOString()
  await profiles.patch(id, { firstName: 'Noa', emailConsent: 'unsubscribed' })
  return before
}

/** A mail to somebody whom the workspace has blocked. Answers its id. */
async function sendToBlocked(client: Client, contactId: string, templateId: string): Promise<string> {
  await profilesOf(client).blacklist({ contactId, channel: 'email' })
  const sent = await client.request('POST', '/public/messages/email', { contactId, fromEmail: client.fromEmail, templateId })
  const { messageId } = sent.body.data as Readonly<{ messageId: string }>
  await client.messageWith(messageId, 'suppressed')
  return messageId
}

type Shop = Readonly<{
  screens: Readonly<Record<string, string>>
  /** The profile that is erased while the page looks, and its address. */
  leaving: Readonly<{ path: string; email: string }>
}>

/** People, their mails and a campaign that went out. */
async function fill(service: StartedService): Promise<Shop> {
  const applied: Applied = JSON.parse(await tidings(service, ['apply', '-f', '-', '--json'], FILE))
  const client = clientOf({ url: service.url, applied })
  const profiles = profilesOf(client)
  const people = await Promise.all(
    PEOPLE.map(([email, firstName, lastName], index) =>
      profiles.create({ email, firstName, lastName, emailConsent: index === 5 ? 'never_subscribed' : 'subscribed' }),
    ),
  )
  const { Newsletter: list = '' } = applied.lists
  await client.request('POST', `/public/lists/${list}/members`, { contactIds: people.map(({ id }) => id) })
  const [noa, ada, grace] = people
  const sent = await client.request('POST', '/public/messages/email', {
    contactId: noa?.id,
    fromEmail: client.fromEmail,
    templateId: applied.templates.receipt,
  })
  const { messageId } = sent.body.data as Readonly<{ messageId: string }>
  await client.messageWith(messageId, 'sent')
  const { 'Spring sale': campaign = '' } = applied.campaigns
  await tidings(service, ['campaign', 'start', '--workspace', 'shop', '--id', campaign])
  const notSent = await sendToBlocked(client, grace?.id ?? '', applied.templates.receipt ?? '')
  const before = encodeURIComponent(await changeNoa(profiles, noa?.id ?? ''))
  const profile = paths.profile('shop', noa?.id ?? '')
  return {
    screens: {
      overview: paths.overview('shop'),
      profile,
      message: paths.message('shop', messageId),
      template: `${paths.templates('shop')}/${applied.templates.spring}`,
      campaign: `${paths.campaigns('shop')}/${campaign}`,
      'consent-then': `${profile}?tab=consent&at=${before}`,
      'profile-then': `${profile}?tab=details&at=${before}`,
      'not-sent': paths.message('shop', notSent),
    },
    leaving: { path: paths.profile('shop', ada?.id ?? ''), email: 'ada@example.com' },
  }
}

/** Erases the person as an owner does, and stays at the receipt. */
async function erase(page: Page, { url }: StartedService, { path, email }: Shop['leaving']): Promise<void> {
  await page.goto(`${url}${path}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Erase for ever' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(email)
  await dialog.getByRole('button', { name: 'Erase for ever' }).click()
  await page.getByText('All is done').waitFor({ timeout: 180_000 })
}

/** As WebP, which is a third of the size of PNG for such pictures. */
async function write(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  writeFileSync(`${ROOT}docs/images/dashboard-${name}.webp`, Buffer.from(data, 'base64'))
  await session.detach()
}

const chromium = findChromium()
if (chromium === null) throw new Error('there is no Chromium on the PATH')
await buildPages()
const service = await startTidings()
const browser = await launch(chromium)
try {
  const { screens, leaving } = await fill(service)
  const link = await tidings(service, ['user', 'link', '--workspace', 'shop', '--email', 'dana@shop.example'])
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', locale: 'en', reducedMotion: 'reduce' })
  await page.goto(`${service.url}/dashboard/link#${/#(\S+)/.exec(link)?.[1]}`)
  await page.getByRole('button', { name: /^Account/ }).waitFor()
  for (const [name, path] of Object.entries(screens)) {
    await page.goto(`${service.url}${path}`)
    await page.locator('h1').waitFor()
    await page.waitForLoadState('networkidle')
    await write(page, name)
  }
  await erase(page, service, leaving)
  await write(page, 'erasure-receipt')
} finally {
  await browser.close()
  await service.stop()
}
