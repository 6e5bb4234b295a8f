import { expect, test } from 'vitest'
import { runWrongMail } from './wrong-mail.ts'

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 600)
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

test(`for about ${SECONDS} s no person is mailed twice, wrongly, or after he said no`, async () => {
  const { report, violations, counts } = await runWrongMail({
    ...{ seed, people: 600, seconds: SECONDS, restartMs: 10_000, drainMs: 600_000 },
  })
  console.log(report)
  expect(violations, report).toEqual([])
  expect(Math.min(counts.arrivals ?? 0, counts.stops ?? 0, counts.receipts ?? 0, counts.passcodes ?? 0)).toBeGreaterThan(20)
}, 3_600_000)
