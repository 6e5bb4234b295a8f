import { expect, test } from 'vitest'
import { Settlements } from '../src/work-loop.ts'

test('what a crash made Postgres forget is settled again, however much it is', async () => {
  const settlements = new Settlements<number>()
  settlements.add([-1])
  const many = Array.from({ length: 300_000 }, (_, n) => n)
  settlements.addFirst(many)
  settlements.add(many)
  const written = await settlements.flush(async (settled) => settled)
  expect(written).toHaveLength(600_001)
  expect(written[300_000]).toBe(-1)
})
