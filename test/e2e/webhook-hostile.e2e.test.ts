import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostileAddresses, hostileUrls } from '../../packages/outbound-http/test/hostile-urls.fixture.ts'
import { coded, dataOf, outcome } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { call, newLink, sessionOf } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

const OWNER = 'owner@acme.example'

let dns: DnsServer
let world: World
let acme: Client

beforeAll(async () => {
  dns = await startDnsServer()
  world = await startWorld({ TIDINGS_DNS_SERVERS: dns.address, TIDINGS_WEBHOOK_ENDPOINTS: '200' })
  acme = await world.workspace('acme', `users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]`)
})
afterAll(async () => {
  await world?.stop()
  await dns?.close()
})

const create = (url: string) => acme.request('POST', '/public/webhooks', { url, events: ['contact.created'] })
const blocked = { ...coded(400, 'webhook_url_blocked'), message: 'Webhook URL is not allowed' }
/** A string that the conventions refuse before any rule of webhooks: a NUL cannot be stored. */
const isStorable = (url: string) => !url.includes('\u0000')

it('every hostile URL is refused at creation, each with the same sentence', async () => {
  dns.answers.set('shop.example', ['93.184.215.14'])
  const urls = Object.values(hostileUrls).flat().filter(isStorable)
  const answers = await Promise.all(urls.map(async (url) => [url, outcome(await create(url))]))
  expect(answers).toEqual(urls.map((url) => [url, blocked]))
  expect(urls.length).toBeGreaterThanOrEqual(60)
})

it('so is every name that leads to a hostile address, or to none', async () => {
  const names = hostileAddresses.map((address, n) => {
    dns.answers.set(`hostile-${n}.example`, n % 2 === 0 ? [address] : ['93.184.215.14', address])
    return `https://hostile-${n}.example/hook`
  })
  const urls = [...names, 'https://unknown.example/hook']
  const answers = await Promise.all(urls.map(async (url) => [url, outcome(await create(url))]))
  expect(answers).toEqual(urls.map((url) => [url, blocked]))
})

it('a name that turns hostile after creation is called no more, and not tried again', async () => {
  const endpoints = await Promise.all(
    hostileAddresses.map(async (address, n) => {
      const host = `turning-${n}.example`
      dns.answers.set(host, ['93.184.215.14'])
      const { id } = dataOf<{ id: string }>(await create(`https://${host}/hook`), 201)
      dns.answers.set(host, [address])
      return id
    }),
  )
  dataOf(await acme.request('POST', '/public/profiles', { email: 'ada@example.com' }), 201)
  const tried = async () => {
    const { rows } = await world.stores.pool.query<{ endpoint_id: string; outcome: string; attempt: number; error: string }>(
      'select endpoint_id, outcome, attempt, error from webhooks.attempt',
    )
    return rows
  }
  const tries = await eventually(tried, (rows) => rows.length === endpoints.length)
  expect(new Set(tries.map(({ endpoint_id }) => endpoint_id))).toEqual(new Set(endpoints))
  for (const attempt of tries) expect(attempt).toMatchObject({ outcome: 'dropped', attempt: 1, error: expect.stringMatching(/^blocked: /) })
})

it('a test delivery calls no more than any other: not where its name leads by then', async () => {
  const token = await newLink(world.stores, acme, OWNER)
  const owner = sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
  const asked = hostileAddresses.slice(0, 5).map(async (address, n) => {
    const host = `tested-${n}.example`
    dns.answers.set(host, ['93.184.215.14'])
    const { id } = dataOf<{ id: string }>(await create(`https://${host}/hook`), 201)
    dns.answers.set(host, [address])
    return dataOf<{ deliveryId: string }>(await owner.call(`POST /dashboard/webhooks/${id}/test`, { body: {} }), 202).deliveryId
  })
  const deliveryIds = await Promise.all(asked)
  const tried = async () =>
    (
      await world.stores.pool.query<{ outcome: string; error: string }>(
        'select outcome, error from webhooks.attempt where delivery_id = any ($1::uuid[])',
        [deliveryIds],
      )
    ).rows
  const tries = await eventually(tried, (rows) => rows.length === deliveryIds.length)
  for (const attempt of tries) expect(attempt).toMatchObject({ outcome: 'dropped', error: expect.stringMatching(/^blocked: /) })
})
