import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let receiver: Receiver
let acme: Client
let id: string

beforeAll(async () => {
  ;[database, receiver] = await Promise.all([testDatabase(), startReceiver()])
  const env = { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20', TIDINGS_LOG_LEVEL: 'info' }
  installation = await install(database.url, env)
  service = await installation.start()
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await receiver?.close()
  await installation?.close()
  await database?.drop()
})

const webhook = (verb: string, ...more: readonly string[]) => installation.tidings(['webhook', verb, '--workspace', 'acme', ...more])
const person = (email: string) => acme.request('POST', '/public/profiles', { email })

let secret: string

it('an operator sees the endpoints and their last tries', async () => {
  receiver.reply((_, nth) => (nth === 1 ? 503 : 200))
  const body = { url: `${receiver.url}/hook`, events: ['contact.created'], label: 'Shop' }
  const made = dataOf<{ id: string; signingSecret: string }>(await acme.request('POST', '/public/webhooks', body), 201)
  id = made.id
  secret = made.signingSecret
  await person('ada@example.com')
  const tried = await eventually(
    async () => (await webhook('deliveries', '--id', id)) as { items: readonly Record<string, unknown>[] },
    ({ items }) => items.length === 2,
  )
  const try_ = { deliveryId: receiver.all[0]?.deliveryId, event: 'contact.created', error: null, durationMs: expect.any(Number) }
  expect(tried.items).toEqual([
    { ...try_, attempt: 2, outcome: 'delivered', status: 200, at: expect.any(String) },
    { ...try_, attempt: 1, outcome: 'retrying', status: 503, at: expect.any(String) },
  ])
  expect(await webhook('list')).toEqual({ items: [{ id, ...body, active: true, createdAt: expect.any(String), waiting: 0 }] })
})

it('an operator pauses an endpoint and resumes it', async () => {
  expect(await webhook('pause', '--id', id)).toMatchObject({ id, active: false })
  await person('bob@example.com')
  expect(await webhook('resume', '--id', id)).toMatchObject({ id, active: true })
  await person('eve@example.com')
  const received = await receiver.wait('/hook', 3)
  expect(received.slice(2).map(({ data }) => data.email)).not.toContain('bob@example.com')
})

it('one sentence says that there is no such endpoint', async () => {
  const args = ['webhook', 'pause', '--workspace', 'acme', '--id', '0192f0c1-0000-7000-8000-000000000001']
  const { code, stderr } = await runTidings(args, installation.env)
  expect([code, stderr.trim()]).toEqual([1, 'Workspace acme has no webhook endpoint 0192f0c1-0000-7000-8000-000000000001.'])
})

it('the signing secret is nowhere in clear: in no row of any table, and in nothing that was printed', async () => {
  const tables = await installation.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const bytes = [secret, Buffer.from(secret, 'hex').toString('base64'), Buffer.from(secret).toString('base64')]
  const found: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await installation.pool.query<{ hit: boolean }>(
      `select exists (select from ${name} t where t::text ilike any (select '%' || w || '%' from unnest($1::text[]) w)
         or t::text ilike '%' || encode(convert_to($2, 'UTF8'), 'hex') || '%') as hit`,
      [bytes, secret],
    )
    if (rows[0]?.hit) found.push(name)
  }
  expect(tables.rows.length).toBeGreaterThan(20)
  expect(found).toEqual([])
  expect(service.output()).not.toContain(secret)
})
