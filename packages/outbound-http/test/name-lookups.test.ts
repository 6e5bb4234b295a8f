import { describe, expect, it } from 'vitest'
import { createNameLookups, Unresolved } from '../src/name-lookups.ts'

/** A resolver that answers a name when the test says so, and counts who was asked for. */
const gatedResolver = () => {
  const asked: string[] = []
  const gates = new Map<string, PromiseWithResolvers<readonly string[]>>()
  const gateOf = (host: string) => {
    const gate = gates.get(host) ?? Promise.withResolvers<readonly string[]>()
    gates.set(host, gate)
    return gate
  }
  return {
    asked,
    gateOf,
    resolve: (host: string) => {
      asked.push(host)
      return gateOf(host).promise
    },
  }
}

const silentNames = (count: number) => Array.from({ length: count }, (_, n) => `silent-${n}.example`)

describe('look-ups of one scope', () => {
  it('that hang leave every other scope its own places', async () => {
    const { resolve, gateOf, asked } = gatedResolver()
    const names = createNameLookups({ resolve, now: () => 0 })
    const hanging = silentNames(8).map((host) => names.addressesOf(host, 'hostile'))
    gateOf('shop.example').resolve(['93.184.215.14'])
    await expect(names.addressesOf('shop.example', 'honest')).resolves.toEqual(['93.184.215.14'])
    expect(asked).toEqual([...silentNames(4), 'shop.example'])
    for (const host of silentNames(8)) gateOf(host).resolve([])
    await Promise.all(hanging)
    expect(asked).toHaveLength(9)
  })

  it('do not pile up: beyond 64 that wait, the next fails at once', async () => {
    const { resolve, gateOf } = gatedResolver()
    const names = createNameLookups({ resolve, now: () => 0 })
    const waiting = silentNames(68).map((host) => names.addressesOf(host, 'hostile'))
    await expect(names.addressesOf('one-more.example', 'hostile')).rejects.toThrow(Unresolved)
    for (const host of silentNames(68)) gateOf(host).resolve([])
    await Promise.all(waiting)
  })
})

describe('a name that no server answers for', () => {
  it('is asked for again only after a while, which grows to five minutes and begins anew with the first answer', async () => {
    let now = 0
    let answers = false
    let asked = 0
    const resolve = async () => {
      asked++
      if (!answers) throw new Error('timeout')
      return ['93.184.215.14']
    }
    const names = createNameLookups({ resolve, now: () => now })
    const retryInMs = () => names.addressesOf('shop.example', 'acme').catch((error: Unresolved) => error.retryInMs)

    const waits: unknown[] = []
    for (let n = 0; n < 6; n++) {
      const wait = await retryInMs()
      waits.push(wait)
      expect(await retryInMs()).toBe(wait)
      now += Number(wait)
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
    expect(asked).toBe(6)

    answers = true
    expect(await names.addressesOf('shop.example', 'acme')).toEqual(['93.184.215.14'])
    answers = false
    expect(await retryInMs()).toBe(30_000)
  })
})
