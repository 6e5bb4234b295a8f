import { expect, test } from 'vitest'
import { chaos, VICTIMS } from './kill-service.ts'

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 20)

test(`${ROUNDS} kills of the service, of Postgres, of both and of a start lose and double nothing`, async () => {
  const victims = Array.from({ length: ROUNDS }, (_, n) => VICTIMS[n % VICTIMS.length] ?? 'both')
  const result = await chaos({ victims, clients: 12, seconds: 6 })
  console.table(result)
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
  expect(result.ackedSends).toBeGreaterThan(ROUNDS)
  expect(result.ackedWrites).toBeGreaterThan(ROUNDS)
}, 3_600_000)
