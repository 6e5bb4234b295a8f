import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRoutes } from '../docs/generated/open-routes.ts'
import { aim } from './support/aim.ts'
import { eventually } from './support/eventually.ts'
import { signed } from './support/receipts.ts'
import { startWorld, type World } from './support/world.ts'

const LIMIT = 60
const WINDOW_MS = 60_000
const SECRET = 'a secret of the provider'
const ID = '0192f0c0-0000-7000-8000-00000000000f'

/** The routes of a process are visible only if it is the only one. */
describe.runIf(aim() === 'embedded')('a route without a key', () => {
  let world: World
  const served: string[] = []
  const onApp = (message: unknown): void => {
    const { fastify } = message as Readonly<{ fastify: FastifyInstance }>
    fastify.addHook('onRoute', ({ method, url, config }: RouteOptions) => {
      if (config?.access === 'open') served.push(...[method].flat().map((one) => `${one} ${url}`))
    })
  }
  beforeAll(async () => {
    subscribe('fastify.initialization', onApp)
    world = await startWorld({
      ...{
        TIDINGS_RATE_LIMIT_DEFAULT: String(LIMIT),
        TIDINGS_TRUST_PROXY: '127.0.0.1',
        TIDINGS_PROVIDER_SECRET: SECRET,
      },
    })
    unsubscribe('fastify.initialization', onApp)
  })
  afterAll(() => world?.stop())

  let addresses = 0
  /** Another visitor each time. */
  const newAddress = (): string => `198.51.100.${++addresses}`
  /** Signatures as providers write them, and with another secret. */
  const forged = { 'X-Tidings-Signature': `sha256=${'0'.repeat(64)}`, 'X-Twilio-Signature': `${'A'.repeat(27)}=` }
  type Headers = Readonly<Record<string, string>>
  const ask = (route: string, { from, body, more = {} }: Readonly<{ from: string; body?: string; more?: Headers }>): Promise<Response> => {
    const [method = '', path = ''] = route.split(' ')
    const type = route.includes('twilio') || !path.startsWith('/api') ? 'application/x-www-form-urlencoded' : 'application/json'
    return fetch(`${world.url}${path.replace(':id', ID)}`, {
      method,
      redirect: 'manual',
      headers: { 'X-Forwarded-For': from, ...(body !== undefined && { 'Content-Type': type }), ...more },
      ...(body !== undefined && { body }),
    })
  }
  const statusOf = async (
    route: string,
    from: string,
    { body, more }: Readonly<{ body?: string; more?: Headers }> = {},
  ): Promise<number> => {
    const answer = await ask(route, { from, ...(body !== undefined && { body }), ...(more && { more }) })
    await answer.arrayBuffer()
    return answer.status
  }
  const bodyOf = (route: string) => (route.startsWith('POST') ? { body: '{}' } : {})
  const callbacks = openRoutes.filter(({ address }) => address === 'unsigned').map(({ route }) => route)

  it('is in the list with its bounds, and the list has no other', () => {
    const gets = new Set(served.filter((route) => !route.startsWith('HEAD ')))
    expect([...gets].sort()).toEqual(openRoutes.map(({ route }) => route).sort())
  })

  /** The statuses of so many requests of one visitor; none where their minute ended meanwhile. */
  const withinOneWindow = async (route: string, count: number): Promise<readonly number[]> => {
    const [from, began] = [newAddress(), performance.now()]
    const statuses: number[] = []
    for (let n = 0; n < count; n++) statuses.push(await statusOf(route, from, bodyOf(route)))
    return performance.now() - began < WINDOW_MS ? statuses : []
  }

  it.each(openRoutes)('$route takes so many requests of an address, and of another one after that', async ({ route, address }) => {
    const allowed = typeof address === 'number' ? address : LIMIT
    const statuses = await eventually(
      () => withinOneWindow(route, allowed + 2),
      (answered) => answered.length > 0,
    )
    const first = statuses.indexOf(429)
    if (address === null) expect(first).toBe(-1)
    else expect(first).toBe(allowed)
    if (address === 'unsigned') expect(new Set(statuses.slice(0, first))).toEqual(new Set([401]))
    expect(await statusOf(route, newAddress(), bodyOf(route))).not.toBe(429)
  })

  it('that a signature proves is refused without one before its body is read, and over the bound of its address with 429', async () => {
    const [route = '', ...others] = callbacks
    const from = newAddress()
    const long = ' '.repeat(2 * 1024 * 1024)
    expect(await statusOf(route, from, { body: long })).toBe(401)
    for (let n = 1; n < LIMIT; n++) await statusOf(route, from, { body: '{}' })
    // The first that is refused hears of the whole window; on a slow machine it may be one of the next.
    const answer = await eventually(
      () => ask(route, { from, body: long }),
      ({ status }) => status === 429,
    )
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(await answer.text()).toContain('Too many requests')
    // The routes of callbacks count together.
    for (const other of others) expect(await statusOf(other, from, { body: 'From=1' })).toBe(429)
  })

  it('that a signature proves takes it from an address that strangers use, whatever they send', async () => {
    const [route = ''] = callbacks
    const signature = (body: string) => ({ 'X-Tidings-Signature': signed(body, SECRET) })
    const from = newAddress()
    const strangers = ['', 'theirs', 'sha256=', `sha256=${'0'.repeat(63)}`, forged['X-Tidings-Signature'], forged['X-Twilio-Signature']]
    for (let n = 0; n < 2 * LIMIT; n++)
      for (const one of callbacks) {
        const theirs = strangers[n % strangers.length] ?? ''
        const more = one === route ? { 'X-Tidings-Signature': theirs } : { 'X-Twilio-Signature': theirs }
        expect([401, 429]).toContain(await statusOf(one, from, { body: '[]', more }))
      }
    await expect.poll(() => statusOf(route, from, { body: '[]' })).toBe(429)
    for (let n = 0; n < 3; n++) expect(await statusOf(route, from, { body: '[]', more: signature('[]') })).toBe(200)
    expect(await statusOf(route, from, { body: '[', more: signature('[') })).toBe(400)
    // What is not JSON is not parsed before it is known whose it is.
    for (const body of ['[', '', '[1']) expect(await statusOf(route, from, { body, more: forged })).toBe(401)
    expect(await statusOf(route, from, { more: forged })).toBe(401)
    // Twilio is not configured here: its callbacks are read, and none is believed.
    for (const one of callbacks.slice(1)) expect(await statusOf(one, from, { body: 'From=1', more: forged })).toBe(401)
  })

  it.each(openRoutes.filter(({ body }) => body !== null))('$route reads $body bytes, and no more', async ({ route, body }) => {
    expect(await statusOf(route, newAddress(), { body: ' '.repeat((body ?? 0) + 1), more: forged })).toBe(413)
    expect(await statusOf(route, newAddress(), { body: ' '.repeat(body ?? 0), more: forged })).not.toBe(413)
  })

  it.each(openRoutes.filter(({ route }) => /\/(o\.gif|c|u|verify|forms\/confirm)$/.test(route)))(
    '$route answers a forged link alike, whatever its length',
    async ({ route }) => {
      const wanted = route === 'GET /o.gif' ? 200 : 404
      for (const token of ['x', 'A'.repeat(4_096), 'A'.repeat(12_000)])
        expect(await statusOf(`${route}?t=${token}`, newAddress(), bodyOf(route))).toBe(wanted)
    },
  )

  it.each(openRoutes.filter(({ route }) => route.includes('/dev/')))('$route is for this machine alone', async ({ route }) => {
    expect([403, 404]).toContain(await statusOf(route, newAddress(), bodyOf(route)))
  })
})
