import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Blocked, createGuard, type Guard, isPublicAddress } from '../src/guard.ts'
import { Unresolved } from '../src/name-lookups.ts'
import { createServerResolver } from '../src/resolvers.ts'
import { hostileAddresses, hostileUrls } from './hostile-urls.fixture.ts'

let dns: DnsServer
let clock = 0
let guard: Guard

beforeAll(async () => {
  dns = await startDnsServer()
  dns.answers.set('shop.example', ['93.184.215.14', '2606:4700:4700::1111'])
  guard = createGuard({ resolve: createServerResolver([dns.address], 60_000), allowLocal: false, now: () => clock })
})
afterAll(() => dns.close())

const table = Object.entries(hostileUrls).flatMap(([why, urls]) => urls.map((url) => [why, url] as const))

describe('a URL that must not be called', () => {
  it('is in a table of at least sixty', () => {
    expect(table.length).toBeGreaterThanOrEqual(60)
    expect(new Set(table.map(([, url]) => url)).size).toBe(table.length)
  })

  it.each(table)('%s: %j is blocked', async (_, url) => {
    await expect(guard.check(url, 'acme')).rejects.toThrow(Blocked)
  })
})

describe('a name', () => {
  it('that leads to public addresses only may be called, at those addresses', async () => {
    const { target, addresses } = await guard.check('https://Shop.example/hook?a=b', 'acme')
    expect(target).toEqual({ href: 'https://shop.example/hook?a=b', origin: 'https://shop.example', host: 'shop.example' })
    expect(addresses).toEqual(['93.184.215.14', '2606:4700:4700::1111'])
  })

  it('in another script is looked up in its ASCII form', async () => {
    dns.answers.set('xn--mller-kva.example', ['93.184.215.14'])
    expect((await guard.check('https://müller.example/', 'acme')).target.host).toBe('xn--mller-kva.example')
  })

  it.each(hostileAddresses)('that leads to %s is blocked, also when it has a public address beside it', async (address) => {
    dns.answers.set('alone.example', [address])
    dns.answers.set('mixed.example', ['93.184.215.14', address])
    clock += 60_000
    await expect(guard.check('https://alone.example/', 'acme')).rejects.toThrow(Blocked)
    await expect(guard.check('https://mixed.example/', 'acme')).rejects.toThrow(Blocked)
  })

  it('that does not exist is blocked', async () => {
    await expect(guard.check('https://unknown.example/', 'acme')).rejects.toThrow(Blocked)
  })

  it('that no server answers for is not blocked permanently', async () => {
    const unheard = createGuard({ resolve: () => Promise.reject(new Error('timeout')), allowLocal: false })
    await expect(unheard.check('https://shop.example/', 'acme')).rejects.toThrow(Unresolved)
  })

  it('that turns private is blocked from the next look-up on', async () => {
    dns.answers.set('rebinding.example', ['93.184.215.14'])
    await guard.check('https://rebinding.example/', 'acme')
    dns.answers.set('rebinding.example', ['127.0.0.1'])
    expect((await guard.check('https://rebinding.example/', 'acme')).addresses).toEqual(['93.184.215.14'])
    clock += 5_001
    await expect(guard.check('https://rebinding.example/', 'acme')).rejects.toThrow(Blocked)
  })
})

describe('the text of a URL alone', () => {
  it.each(table.filter(([why]) => !/name/.test(why)))('%s: %j', async (_, url) => {
    const silent = createGuard({ resolve: () => Promise.reject(new Error('no name may be looked up')), allowLocal: false })
    const byText = (): string => {
      try {
        silent.checkText(url)
        return 'may be called'
      } catch (error) {
        return error instanceof Blocked ? 'blocked' : String(error)
      }
    }
    // What passes is a name: a look-up alone tells more.
    if (byText() === 'may be called') await expect(silent.check(url, 'acme')).rejects.toThrow(Unresolved)
    else expect(byText()).toBe('blocked')
  })

  it('says of a name nothing, whatever it leads to', () => {
    const asked: string[] = []
    const asking = createGuard({ resolve: async (host) => [asked.push(host) > 0 ? '10.0.0.1' : ''], allowLocal: false })
    for (const name of ['intranet.acme.example', 'unknown.acme.example', 'shop.example'])
      expect(() => asking.checkText(`https://${name}/push`)).not.toThrow()
    for (const url of ['https://10.0.0.1/push', 'https://127.0.0.1/', 'http://shop.example/', 'https://localhost/'])
      expect(() => asking.checkText(url)).toThrow(Blocked)
    expect(asked).toEqual([])
  })
})

it('a public address may be written as such', async () => {
  expect((await guard.check('https://93.184.215.14/hook', 'acme')).addresses).toEqual(['93.184.215.14'])
  expect(isPublicAddress('not an address')).toBe(false)
})

it('for development everything local may be called', async () => {
  const local = createGuard({ resolve: async () => ['127.0.0.1'], allowLocal: true })
  expect((await local.check('http://localhost:4000/hook', 'acme')).addresses).toEqual(['127.0.0.1'])
  expect((await local.check('http://[::1]:4000/hook', 'acme')).addresses).toEqual(['::1'])
  await expect(local.check('ftp://localhost/', 'acme')).rejects.toThrow(Blocked)
})
