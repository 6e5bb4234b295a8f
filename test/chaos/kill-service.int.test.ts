import { expect, test } from 'vitest'
import { chaos } from './kill-service.ts'

test('a kill of the service and one of Postgres under load lose and double nothing', async () => {
  const result = await chaos({ victims: ['both', 'postgres'], clients: 6, seconds: 3 })
  expect(result).toMatchObject({
    endedByItself: 0,
    wronglyRefused: 0,
    unexplainedCopies: 0,
    lostMessages: 0,
    unsentMessages: 0,
    doubledMessages: 0,
    lostWrites: 0,
    holes: 0,
    revisionGaps: 0,
    sharedEmails: 0,
    setAside: 0,
    differingTables: 0,
  })
  expect(result.ackedSends).toBeGreaterThan(0)
  expect(result.ackedWrites).toBeGreaterThan(0)
}, 300_000)
