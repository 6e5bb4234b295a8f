import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRoutes } from '../docs/generated/open-routes.ts'
import { aim } from './support/aim.ts'
import { startWorld, type World } from './support/world.ts'

const LIMIT = 60
const ID = '0192f0c0-0000-7000-8000-00000000000f'

/** Only in one process are its routes to be seen. */
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
        TIDINGS_PROVIDER_SECRET: 'a secret of the provider',
      },
    })
    unsubscribe('fastify.initialization', onApp)
  })
  afterAll(() => world?.stop())

  let addresses = 0
  /** Another visitor each time. */
  const newAddress = (): string => `198.51.100.${++addresses}`
  const ask = (route: string, from: string, body?: string): Promise<Response> => {
    const [method = '', path = ''] = route.split(' ')
    const type = route.includes('twilio') || !path.startsWith('/api') ? 'application/x-www-form-urlencoded' : 'application/json'
    return fetch(`${world.url}${path.replace(':id', ID)}`, {
      method,
      redirect: 'manual',
      headers: { 'X-Forwarded-For': from, ...(body !== undefined && { 'Content-Type': type }) },
      ...(body !== undefined && { body }),
    })
  }
  const statusOf = async (route: string, from: string, body?: string): Promise<number> => {
    const answer = await ask(route, from, body)
    await answer.arrayBuffer()
    return answer.status
  }
  const bodyOf = (route: string): string | undefined => (route.startsWith('POST') ? '{}' : undefined)

  it('is in the list with its bounds, and the list has no other', () => {
    const gets = new Set(served.filter((route) => !route.startsWith('HEAD ')))
    expect([...gets].sort()).toEqual(openRoutes.map(({ route }) => route).sort())
  })

  it.each(openRoutes)('$route takes so many requests of an address, and of another one after that', async ({ route, address }) => {
    const from = newAddress()
    const allowed = typeof address === 'number' ? address : LIMIT
    const statuses: number[] = []
    for (let n = 0; n < allowed + 2; n++) statuses.push(await statusOf(route, from, bodyOf(route)))
    const first = statuses.indexOf(429)
    if (address === null) expect(first).toBe(-1)
    else if (address === 'refused') {
      // The request over the bound is refused for its signature still.
      expect(new Set(statuses.slice(0, first))).toEqual(new Set([401]))
      expect(first).toBe(allowed + 1)
    } else expect(first).toBe(allowed)
    expect(await statusOf(route, newAddress(), bodyOf(route))).not.toBe(429)
  })

  it('that a signature proves is refused before its body is read, when its address is over the bound', async () => {
    const [route = ''] = openRoutes.filter(({ address }) => address === 'refused').map((one) => one.route)
    const from = newAddress()
    for (let n = 0; n <= LIMIT; n++) await statusOf(route, from, '{}')
    const answer = await ask(route, from, ' '.repeat(900 * 1024))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await answer.text()).toContain('Too many requests')
    // The routes of callbacks count together.
    expect(await statusOf('POST /api/v1/providers/twilio/inbound', from, 'From=1')).toBe(429)
  })

  it.each(openRoutes.filter(({ body }) => body !== null))('$route reads $body bytes, and no more', async ({ route, body }) => {
    expect(await statusOf(route, newAddress(), ' '.repeat((body ?? 0) + 1))).toBe(413)
    expect(await statusOf(route, newAddress(), ' '.repeat(body ?? 0))).not.toBe(413)
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
