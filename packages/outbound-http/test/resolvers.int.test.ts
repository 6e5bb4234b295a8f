import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHosts } from '../src/hosts-file.ts'
import { createServerResolver, createSystemResolver } from '../src/resolvers.ts'

/** Time for answers of a process that stands still for some seconds; nothing answers what is silent before it. */
const DEADLINE_MS = 10_000

let dns: DnsServer
let folder: string

beforeEach(async () => {
  dns = await startDnsServer()
  folder = await mkdtemp(join(tmpdir(), 'tidings-hosts-'))
})
afterEach(async () => {
  await dns.close()
  await rm(folder, { recursive: true, force: true })
})

const hostsFile = async (text: string): Promise<string> => {
  const path = join(folder, 'hosts')
  await writeFile(path, text)
  return path
}

/** Opening a FIFO without a writer holds a thread of libuv, as getaddrinfo does while a name server is silent. */
const holdEveryThread = async (): Promise<() => Promise<void>> => {
  const paths = Array.from({ length: 4 }, (_, n) => join(folder, `held-${n}`))
  for (const path of paths) execFileSync('mkfifo', [path])
  const opening = paths.map((path) => open(path, 'r'))
  return async () => {
    const writers = paths.map((path) => openSync(path, 'w'))
    for (const handle of await Promise.all(opening)) await handle.close()
    for (const writer of writers) closeSync(writer)
  }
}

describe('a name', () => {
  it('is looked up though all threads of libuv are held', async () => {
    dns.answers.set('shop.example', ['93.184.215.14'])
    const hosts = createHosts(await hostsFile('127.0.0.1 localhost\n'))
    const resolve = createSystemResolver(hosts, [dns.address])
    const letGo = await holdEveryThread()
    try {
      expect(await resolve('shop.example')).toEqual(['93.184.215.14'])
      expect(await resolve('localhost')).toEqual(['127.0.0.1'])
    } finally {
      await letGo()
    }
  })

  it('of which one family is never answered leads to the addresses of the other', async () => {
    dns.answers.set('shop.example', ['93.184.215.14'])
    dns.silentTypes.add('AAAA')
    expect(await createServerResolver([dns.address], DEADLINE_MS)('shop.example')).toEqual(['93.184.215.14'])
  })

  it('that no server answers for is an error, and one that does not exist has no address', async () => {
    dns.answers.set('silent.example', null)
    const resolve = createServerResolver([dns.address], DEADLINE_MS)
    await expect(resolve('silent.example')).rejects.toThrow()
    expect(await resolve('unknown.example')).toEqual([])
  })
})

describe('the hosts file', () => {
  it('gives every address of a name, in any case, without comments', async () => {
    const hosts = createHosts(
      await hostsFile('# 10.0.0.9 shop.test\n10.0.0.1\tShop.test alias # first\n10.0.0.2 shop.test\nnonsense shop.test\n'),
    )
    expect([hosts('SHOP.test'), hosts('alias'), hosts('other')]).toEqual([['10.0.0.1', '10.0.0.2'], ['10.0.0.1'], []])
  })

  it('is read again when it has changed, and may be missing', async () => {
    let now = 0
    const path = join(folder, 'hosts')
    const hosts = createHosts(path, () => now)
    expect(hosts('shop.test')).toEqual([])
    await hostsFile('10.0.0.1 shop.test\n')
    expect(hosts('shop.test')).toEqual([])
    now += 5_000
    expect(hosts('shop.test')).toEqual(['10.0.0.1'])
  })
})
