import { expect, test } from 'vitest'
import { runWrongMail } from './wrong-mail.ts'

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

test('no person is mailed twice, wrongly, or after he said no', async () => {
  const { report, violations, counts } = await runWrongMail({
    ...{ seed, people: 100, seconds: 60, restartMs: 4_000, drainMs: 120_000 },
  })
  console.log(report)
  expect(violations, report).toEqual([])
  expect(Math.min(counts.arrivals ?? 0, counts.stops ?? 0, counts.receipts ?? 0, counts.passcodes ?? 0)).toBeGreaterThan(5)
}, 600_000)
