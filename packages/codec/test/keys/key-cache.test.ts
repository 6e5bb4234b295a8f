import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyCache } from '../../src/keys/opened-keys.ts'

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const step = fc.oneof(
  fc.record({ what: fc.constantFrom('set', 'get', 'delete'), name }),
  fc.record({ what: fc.constant('wait'), name, ms: fc.integer({ min: 0, max: 80 }) }),
)

test('a key comes back as it was last put, not after its age, and not after it was deleted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (steps, maxKeys) => {
      let now = 0
      const keys = createKeyCache({ maxKeys, maxAgeMs: 100, now: () => now })
      const put = new Map<string, Readonly<{ key: Buffer; at: number }>>()
      for (const { what, name, ...wait } of steps) {
        if (what === 'wait') now += 'ms' in wait ? wait.ms : 0
        if (what === 'delete') {
          keys.delete(name)
          put.delete(name)
        }
        if (what === 'set') {
          const key = randomBytes(32)
          keys.set(name, Buffer.from(key))
          put.set(name, { key, at: now })
        }
        const found = keys.get(name)
        const known = put.get(name)
        if (what === 'set') expect(found).toBeDefined()
        if (found === undefined) continue
        expect(found.export()).toEqual(known?.key)
        expect(now - (known?.at ?? 0)).toBeLessThan(100)
      }
    }),
    { numRuns: 500 },
  )
})

test('of more than it may keep it has the newest half, at least', () => {
  const keys = createKeyCache({ maxKeys: 10_000, maxAgeMs: 60_000, now: () => 0 })
  for (let n = 0; n < 25_000; n++) keys.set(`k${n}`, Buffer.alloc(32, n % 251))
  const found = Array.from({ length: 25_000 }, (_, n) => keys.get(`k${n}`)?.export())
  expect(found.findIndex((key) => key !== undefined)).toBeGreaterThanOrEqual(15_000)
  for (let n = 20_000; n < 25_000; n++) expect(found[n]).toEqual(Buffer.alloc(32, n % 251))
})
