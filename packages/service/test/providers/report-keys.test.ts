import { expect, it } from 'vitest'
import { createKeysReport } from '../../src/providers/push-provider.ts'

it('names each push service that refuses the keys once in ten minutes, and not without end', () => {
  const lines: unknown[] = []
  let now = 0
  const report = createKeysReport({ error: (fields: unknown) => lines.push(fields) }, () => now)
  const one = { service: 'https://push.example', status: 403 }
  report(one)
  report(one)
  expect(lines).toEqual([one])
  for (let n = 0; n < 100; n++) report({ service: `https://push${n}.example`, status: 401 })
  expect(lines).toHaveLength(20)
  now = 600_000
  report(one)
  expect(lines.slice(20)).toEqual([one])
})
