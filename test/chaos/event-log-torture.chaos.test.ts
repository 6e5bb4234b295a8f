import { expect, test } from 'vitest'
import { torture } from './event-log-torture.ts'

test('five kills of Postgres and one of a writer under four writer processes lose, double and reorder nothing', async () => {
  const result = await torture({ kills: 5, secondsBetween: 5, writers: 4, callers: 32, killWriter: true })
  console.table(result)
  expect(result).toMatchObject({ lost: 0, elsewhere: 0, holes: 0, revisionGaps: 0, orderViolations: 0, seenOtherwise: 0 })
  expect(result.acked).toBeGreaterThan(0)
  // The killed writer's last acknowledgements never reached the test.
  expect(result.inTable).toBeGreaterThanOrEqual(result.acked)
  expect(result.resentRecognised).toBe(result.resent)
}, 300_000)
