import { setImmediate } from 'node:timers/promises'
import type { DirectoryForms } from '@tidings/directory'
import { expect, it } from 'vitest'
import { allowOrigin } from '../../src/forms/allow-origin.ts'

const SHOP = 'https://shop.example'
const forms: DirectoryForms = { enabled: true, origins: [SHOP], forms: new Map(), confirmation: null }

/** One request of a page, and the headers of its answer. */
const ask = async (
  hook: ReturnType<typeof allowOrigin>,
  tenant: string,
  clientAddress = '192.0.2.1',
): Promise<ReadonlyMap<string, string>> => {
  const headers = new Map<string, string>()
  const request = { headers: { origin: SHOP, 'x-sender-tenant': tenant }, clientAddress, log: { warn: () => undefined } }
  // The edge: of a request and a reply it uses these alone.
  await hook(request as never, { raw: { setHeader: (name: string, value: string) => headers.set(name, value) } } as never)
  return headers
}

const allowed = (headers: ReadonlyMap<string, string>) => headers.get('Access-Control-Allow-Origin') === SHOP

it('a flood of names that no workspace has asks the database about two at once, and waits for none of the rest', async () => {
  let running = 0
  let most = 0
  const release = Promise.withResolvers<null>()
  const directory = {
    forms: async () => {
      most = Math.max(most, ++running)
      await release.promise
      running--
      return null
    },
  }
  const hook = allowOrigin({ directory })
  const asked = Array.from({ length: 1_000 }, (_, n) => ask(hook, `unknown-${n}`, `192.0.2.${n % 250}`))
  // Those over the bound are answered while the first two still wait.
  const answered = await Promise.race([Promise.all(asked.slice(300)), setImmediate(null)])
  expect(answered?.some(allowed)).toBe(false)
  release.resolve(null)
  await Promise.all(asked)
  expect(most).toBe(2)
})

it('all who open the pages of one workspace at once, from one address, share a look-up, and get the header', async () => {
  let looks = 0
  const directory = {
    forms: async () => {
      looks++
      await setImmediate()
      return forms
    },
  }
  const hook = allowOrigin({ directory })
  const answers = await Promise.all(Array.from({ length: 45 }, () => ask(hook, 'acme')))
  expect([answers.filter(allowed).length, looks]).toEqual([45, 1])
})

it('what names no workspace is not looked up, and a database that is away only costs the header', async () => {
  let looks = 0
  const directory = {
    forms: (reference: string) => {
      looks++
      if (reference === 'away') throw new Error('no database')
      return forms
    },
  }
  const hook = allowOrigin({ directory })
  for (const tenant of ['', 'a b', "'; drop table", 'x'.repeat(25), '%00', '../acme']) expect(allowed(await ask(hook, tenant))).toBe(false)
  expect(looks).toBe(0)
  expect(allowed(await ask(hook, 'away'))).toBe(false)
  expect(allowed(await ask(hook, 'acme'))).toBe(true)
  expect(allowed(await ask(hook, '0192F0C1-0000-7000-8000-00000000000A'))).toBe(true)
})

it('a flood of made-up names takes the header neither from a workspace that was found before, nor from another visitor', async () => {
  const release = Promise.withResolvers<null>()
  const directory = { forms: async (reference: string) => (/^(acme|other)$/.test(reference) ? forms : await release.promise) }
  const hook = allowOrigin({ directory })
  expect(allowed(await ask(hook, 'acme'))).toBe(true)
  const flood = Array.from({ length: 20_000 }, (_, n) => ask(hook, `made-up-${n}`))
  expect(allowed(await ask(hook, 'acme', '192.0.2.2'))).toBe(true)
  const visitor = ask(hook, 'other', '192.0.2.2')
  release.resolve(null)
  await Promise.all(flood)
  expect(allowed(await visitor)).toBe(true)
  expect(allowed(await ask(hook, 'acme'))).toBe(true)
})
