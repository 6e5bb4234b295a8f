import { contextOf, modelLog } from '@tidings/commands/testing'
import { walletStream } from '@tidings/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { entriesOf } from '../../src/credits/entries-of.ts'
import { askedBoundaries } from '../../src/overview/period.ts'

const { workspaceId } = contextOf('any')
const DAYS = 40
const A_DAY = 200

const { log, calls } = modelLog()
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
const boundaries = askedBoundaries({ from: day(1), to: day(2), zone: 'UTC', step: 'day' })
const read = async (isGone = () => false) => {
  const found: string[] = []
  for await (const { at } of entriesOf(log, { workspaceId, boundaries, isGone })) found.push(at)
  return found
}

describe('the entries of an old period', () => {
  beforeAll(async () => {
    for (let n = 0; n < DAYS; n++) {
      const some = Array.from(
        { length: A_DAY },
        () => ({ type: 'CreditsAdded', data: { commandId: null, amount: 1, note: null } }) as const,
      )
      const carried = { events: (n + 1) * A_DAY + n, balance: (n + 1) * A_DAY, credited: true, recent: [], holds: [] }
      const events = [...some, { type: 'BalanceCarriedForward', data: carried } as const]
      const context = { ...contextOf(`${n}`), at: `${day(n)}T12:00:00.000Z` }
      await log.append(walletStream(workspaceId), n === 0 ? 'no_stream' : n * (A_DAY + 1) - 1, events, context)
    }
  })

  it('are read without what is newer', async () => {
    const before = calls.length
    expect(await read()).toHaveLength(2 * A_DAY)
    // The wallet has forty balances that were carried forward, and a page of events is before each.
    expect(calls.length - before).toBeLessThan(25)
  })

  it('are not read for a caller who is gone', async () => {
    await expect(read(() => true)).rejects.toMatchObject({ problem: { status: 503 } })
  })
})
