import { createApp } from '@tidings/http'
import { afterEach, expect, test } from 'vitest'
import { onlyForThisMachine } from '../../src/outbox/dev-outbox.ts'

const credentials = { findKey: () => null, findWorkspace: () => null }
const appWith = (trustProxy?: string) => {
  const rateLimits = { default: 'off', key: 'off', forms: 'off' } as const
  const app = createApp({ settings: { rateLimits, ...(trustProxy && { trustProxy }) }, authentication: { credentials } })
  app.register(async (inner) => {
    onlyForThisMachine(inner, 'https://mail.acme.example/tidings')
    inner.post('/dev/x', { schema: {}, config: { access: 'open', raw: true, throttle: false } }, async () => ({ shown: true }))
  })
  return app
}
let app = appWith()
afterEach(async () => {
  await app.close()
  app = appWith()
})

const ask = (remoteAddress: string, forwarded?: string) =>
  app.inject({ method: 'POST', url: '/dev/x', remoteAddress, payload: {}, ...(forwarded && { headers: { 'x-forwarded-for': forwarded } }) })
const statusOf = async (...call: Parameters<typeof ask>): Promise<number> => (await ask(...call)).statusCode

test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('a caller on this machine is served: %s', async (address) => {
  expect(await statusOf(address)).toBe(200)
})

test.each(['10.0.0.7', '203.0.113.5', '2001:db8::1', '::ffff:10.0.0.7'])('to any other the route is unknown: %s', async (address) => {
  const answer = await ask(address)
  const unknown = await app.inject({ method: 'POST', url: '/dev/y', remoteAddress: address, payload: {} })
  expect(answer.statusCode).toBe(404)
  expect(answer.body).toBe(unknown.body.replace('/dev/y', '/dev/x'))
  expect(Object.keys(answer.headers)).toEqual(Object.keys(unknown.headers))
})

test('a forwarded address counts only where a trusted proxy says it, and never makes another machine this one', async () => {
  expect(await statusOf('203.0.113.5', '127.0.0.1')).toBe(404)
  expect(await statusOf('127.0.0.1', '203.0.113.5')).toBe(200)
  app = appWith('loopback,10.0.0.0/8')
  expect(await statusOf('127.0.0.1', '203.0.113.5')).toBe(404)
  expect(await statusOf('127.0.0.1', '127.0.0.1, 203.0.113.5')).toBe(404)
  expect(await statusOf('127.0.0.1', 'nonsense')).toBe(404)
  expect(await statusOf('127.0.0.1', '127.0.0.1')).toBe(200)
  expect(await statusOf('10.0.0.7', '127.0.0.1')).toBe(404)
})

const named = async (host: string): Promise<number> =>
  (await app.inject({ method: 'POST', url: '/dev/x', remoteAddress: '127.0.0.1', payload: {}, headers: { host } })).statusCode

test.each(['localhost:3000', '127.0.0.1:3000', '127.8.9.1', '[::1]:3000', 'LOCALHOST', 'app.localhost:3000', 'mail.acme.example'])(
  'a host that is this machine, or the service, is served: %s',
  async (host) => {
    expect(await named(host)).toBe(200)
  },
)

test.each([
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example@localhost',
  'acme.example',
  '[::2]',
  '0.0.0.0',
])('to a page of another name that leads to this machine the route is unknown: %s', async (host) => {
  expect(await named(host)).toBe(404)
})
