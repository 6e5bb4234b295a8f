import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { App } from '../../src/bare-app.ts'
import { readClient, trustedNetworks } from '../../src/client/client-address.ts'
import { acme, demoApp } from '../demo-app.fixture.ts'

const isTrusted = trustedNetworks('10.0.0.0/8, 192.0.2.1, 2001:db8:ff::/48,loopback')
const clientOf = (connected: string, forwarded: string): string => readClient(connected, forwarded, isTrusted).address

it.each([
  ['a stranger is not believed', '198.51.100.1', '203.0.113.7', '198.51.100.1'],
  ['a trusted proxy that names no client', '10.0.0.1', '', '10.0.0.1'],
  ['a trusted proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['a connection over IPv6 from an IPv4 proxy', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['a proxy of an IPv6 network', '2001:db8:ff::5', '[2001:db8::9]:443', '2001:db8::9'],
  ['an address with its port', '10.0.0.1', '203.0.113.7:50001', '203.0.113.7'],
  ['a chain of trusted proxies, with ports and spaces', '10.0.0.1', '203.0.113.7:1 ,\t10.2.2.2:99,  [::1]:5 ', '203.0.113.7'],
  ['what a client wrote before its proxy', '10.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['a trusted address that a client wrote before its own', '10.0.0.1', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
  ['a hidden client', '10.0.0.1', '203.0.113.7, _hidden', '10.0.0.1'],
  ['an unknown client', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['a hidden client of the second proxy', '10.0.0.1', '203.0.113.7, _hidden, 192.0.2.1', '192.0.2.1'],
  ['empty entries', '10.0.0.1', ',203.0.113.7,, ,', '203.0.113.7'],
  ['nothing but commas', '10.0.0.1', ',,,', '10.0.0.1'],
  ['proxies only', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
])('%s', (_, connected, forwarded, address) => {
  expect(clientOf(connected, forwarded)).toBe(address)
})

it('a client whom its proxy hides is not named', () => {
  expect(readClient('10.0.0.1', 'unknown', isTrusted)).toEqual({ address: '10.0.0.1', isNamed: false })
  expect(readClient('10.0.0.1', '', isTrusted)).toEqual({ address: '10.0.0.1', isNamed: true })
  expect(readClient('198.51.100.1', 'unknown', isTrusted).isNamed).toBe(true)
})

it('an endless chain of trusted proxies ends', () => {
  expect(clientOf('10.0.0.1', `203.0.113.7,${'10.0.0.2,'.repeat(5_000)}`)).toBe('10.0.0.2')
})

let app: App | undefined
afterEach(() => app?.close())

it('one client is one counter, however its proxy writes it, and several headers are one list', async () => {
  const served = demoApp({ settings: { rateLimits: { default: 1, key: 1_000, forms: 10 }, trustProxy: 'loopback' } })
  app = served
  const { port } = new URL(await served.listen({ port: 0, host: '127.0.0.1' }))
  const statusOf = (...forwarded: string[]) =>
    new Promise<string>((resolve, reject) => {
      const fields = [...forwarded.map((value) => `X-Forwarded-For: ${value}`), ...Object.entries(acme).map((field) => field.join(': '))]
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields.join('\r\n')}\r\n\r\n`),
      )
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      socket.on('end', () => resolve(text.split(' ')[1]!)).on('error', reject)
    })
  expect(await statusOf('203.0.113.7:1000')).toBe('200')
  for (const same of ['203.0.113.7:1001', '203.0.113.7', '::ffff:203.0.113.7', '[::ffff:203.0.113.7]:9'])
    expect(await statusOf(same)).toBe('429')
  expect(await statusOf('1.1.1.1', '203.0.113.7:1002')).toBe('429')
  expect(await statusOf('203.0.113.7', '203.0.113.8:1')).toBe('200')
  expect(await statusOf('[2001:db8:1:2::1]:1')).toBe('200')
  expect(await statusOf('2001:db8:1:2:ffff::9')).toBe('429')
  expect(await statusOf('_a')).toBe('200')
  for (const hidden of ['_b', 'unknown', 'x'.repeat(4_000)]) expect(await statusOf(hidden)).toBe('429')
})
