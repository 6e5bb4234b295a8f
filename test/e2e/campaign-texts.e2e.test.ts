import { type TestDatabase, testDatabase } from '@tidings/testing'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { hourFromNow } from './support/hour-from-now.ts'
import { type Installation, install } from './support/installation.ts'
import { listsOf } from './support/lists.ts'
import { freePort, type ServiceProcess } from './support/service-process.ts'
import { newNumber, SENDER } from './support/texts.ts'

const RATE = 5

let database: TestDatabase
let twilio: TwilioServer
let installation: Installation
let service: ServiceProcess

const fileOf = (slug: string, more: string): string => `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
smsSenderIds: [{ id: ${SENDER}, status: approved }]
templates: [{ name: flash, channel: sms, body: "Hi {{firstName}}" }]
lists: [{ name: VIP, type: static }]
${more}`
const flash = (name: string, quietHours: string) =>
  `  - { name: ${name}, channel: sms, list: VIP, template: flash, from: ${SENDER}, quietHours: ${quietHours} }`

type Workspace = Readonly<{ client: Client; run: (name: string, ...args: readonly string[]) => Promise<unknown> }>

const workspace = async (slug: string, more: string): Promise<Workspace> => {
  const applied = (await installation.tidings(['apply', '-f', '-'], fileOf(slug, more))) as Client['applied']
  return {
    client: clientOf({ url: `http://127.0.0.1:${installation.env.PORT}`, applied, shown: installation.shown }),
    run: async (name, ...args) => {
      // A show waits two seconds for the read side.
      await installation.shown()
      return await installation.tidings(['campaign', ...args, '--workspace', slug, '--id', applied.campaigns[name] ?? ''])
    },
  }
}
/** Members of the list who take texts, each with a number of their own. */
const members = async ({ client }: Workspace, count: number): Promise<readonly string[]> => {
  const phones = Array.from({ length: count }, newNumber)
  const contactIds: string[] = []
  for (const [n, phone] of phones.entries()) {
    const body = { phone, firstName: `p${n}`, smsConsent: 'subscribed' }
    contactIds.push(dataOf<{ id: string }>(await client.request('POST', '/public/profiles', body), 201).id)
  }
  const lists = listsOf(client)
  await lists.add(lists.id('VIP'), { contactIds })
  return phones
}
const statusOf = async ({ client }: Workspace, name: string): Promise<unknown> => {
  const { items } = dataOf<{ items: readonly { value: string; status: string }[] }>(await client.request('GET', '/public/campaigns'), 200)
  return items.find(({ value }) => value === client.applied.campaigns[name])?.status
}
const becomes = (of: Workspace, name: string, status: string) =>
  eventually(
    () => statusOf(of, name),
    (now) => now === status,
  )

beforeAll(async () => {
  database = await testDatabase()
  twilio = await startTwilioServer()
  const PORT = String(await freePort())
  const env = { PORT, TIDINGS_PUBLIC_URL: `http://127.0.0.1:${PORT}`, TIDINGS_SMS_PROVIDER: twilio.url, TIDINGS_SMS_RATE: String(RATE) }
  installation = await install(database.url, env)
  service = await installation.start()
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation?.close()
  await twilio?.stop()
  await database?.drop()
})

const timeout = { timeout: 600_000 }
const textsTo = (phones: readonly string[]) => twilio.taken.filter(({ form }) => phones.includes(form.To ?? ''))

describe('a campaign of text messages', () => {
  it('pays each, ends where the wallet is dry, keeps the rate, and counts a STOP to it', timeout, async () => {
    const acme = await workspace('acme', `credits: 6\ncampaigns:\n${flash('Flash', 'wait')}`)
    const phones = await members(acme, 9)
    const { rows } = await installation.pool.query<{ now: Date }>('select clock_timestamp() as now')
    await acme.run('Flash', 'start')
    await becomes(acme, 'Flash', 'sent')
    expect(textsTo(phones).map(({ form }) => [form.From, form.Body?.slice(0, 4)])).toEqual(
      Array.from({ length: 6 }, () => [SENDER, 'Hi p']),
    )
    expect(new Set(textsTo(phones).map(({ form }) => form.To)).size).toBe(6)
    // Six times were reserved, one after the other.
    const reserved = await installation.pool.query(
      `select from ops.send_rate where name = 'sms' and next >= extract(epoch from $1::timestamptz) * 1000000 + $2`,
      [rows[0]?.now, 6 * (1_000_000 / RATE)],
    )
    expect(reserved.rowCount).toBe(1)
    const phone = textsTo(phones)[0]?.form.To ?? ''
    const stop = { From: phone, To: SENDER, Body: 'STOP' }
    for (let n = 0; n < 2; n++) expect(await twilio.inbound(`${acme.client.url}/api/v1/providers/twilio/inbound`, stop)).toBe(200)
    await expect
      .poll(() => acme.run('Flash', 'show'))
      .toMatchObject({
        ...{ status: 'sent', audience: 9, waiting: 0, queued: 0, sent: 6, unsubscribed: 1, skipped: { insufficient_credits: 3 } },
      })
  })

  it('in quiet hours waits, and is skipped by its cancel or where it says so', timeout, async () => {
    const night = await workspace(
      'night',
      `credits: 100\nquietHours: { from: "${hourFromNow(-6)}", to: "${hourFromNow(6)}" }\ncampaigns:\n${flash('Waits', 'wait')}\n${flash('Skips', 'skip')}`,
    )
    const phones = await members(night, 3)
    await night.run('Skips', 'start')
    await becomes(night, 'Skips', 'sent')
    await night.run('Waits', 'start')
    await eventually(
      async () =>
        (await installation.pool.query(`select from inbox.job where deferred_for = 'quiet_hours' and deferred_by is not null`)).rowCount,
      (waiting) => waiting === 3,
    )
    expect(await night.run('Waits', 'show')).toMatchObject({ status: 'sending', queued: 3, sent: 0 })
    await night.run('Waits', 'cancel')
    await eventually(
      async () => (await installation.pool.query('select from inbox.job where kind = $1', ['send-marketing-sms'])).rowCount,
      (waiting) => waiting === 0,
    )
    expect(await night.run('Waits', 'show')).toMatchObject({ status: 'cancelled', queued: 0, skipped: { campaign_cancelled: 3 } })
    expect(await night.run('Skips', 'show')).toMatchObject({ status: 'sent', queued: 0, skipped: { quiet_hours: 3 } })
    expect(textsTo(phones)).toEqual([])
  })
})
