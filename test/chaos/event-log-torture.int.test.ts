import { expect, test } from 'vitest'
import { torture } from './event-log-torture.ts'

test('one kill of Postgres under two writer processes loses, doubles and reorders nothing', async () => {
  const result = await torture({ kills: 1, secondsBetween: 1, writers: 2, callers: 16, killWriter: false })
  expect(result).toMatchObject({ lost: 0, elsewhere: 0, holes: 0, revisionGaps: 0, orderViolations: 0, seenOtherwise: 0 })
  expect(result.acked).toBeGreaterThan(0)
  expect(result.inTable).toBe(result.acked)
  expect(result.resentRecognised).toBe(result.resent)
})
