import { until } from '@tidings/testing'
import { beforeEach, expect, it, vi } from 'vitest'

const HOUR = 3_600_000

/** The clock of a process is one a process: each test begins with one of its own. */
let clock: typeof import('../src/database-clock.ts')
beforeEach(async () => {
  vi.resetModules()
  clock = await import('../src/database-clock.ts')
})

/** A database whose clock is off by so much, and that takes no time to answer, but where this process is delayed. */
const databaseAhead = (ahead: () => number) => ({
  query: async () => ({ rows: [{ ms: performance.timeOrigin + performance.now() + ahead() }] }),
})
const offBy = (): number => clock.databaseNow() - (performance.timeOrigin + performance.now())
const ticks = async (tick: () => void) => {
  tick()
  await until(() => expect(offBy()).toBeCloseTo(0, -5))
}

it('is the clock of the machine until a database was asked', () => {
  const before = Date.now()
  const now = clock.databaseNow()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
  expect(clock.isoNow()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

it('is that of the database, whatever the machine says and how it jumps', async () => {
  const machine = vi.spyOn(Date, 'now').mockReturnValue(0)
  const following = await clock.followDatabaseClock(databaseAhead(() => HOUR))
  expect(offBy()).toBeCloseTo(HOUR, -5)
  machine.mockReturnValue(HOUR * 1e6)
  expect(offBy()).toBeCloseTo(HOUR, -5)
  expect(Math.abs(Date.parse(clock.isoNow()) - clock.databaseNow())).toBeLessThan(HOUR)
  machine.mockRestore()
  following.stop()
})

it('is right again once the database is, which was ahead for a while', async () => {
  let ahead = HOUR
  const following = await clock.followDatabaseClock(
    databaseAhead(() => ahead),
    { everyMs: 20 },
  )
  expect(offBy()).toBeCloseTo(HOUR, -5)
  ahead = 0
  await ticks(() => undefined)
  following.stop()
})

it('runs on while the database is away', async () => {
  let isAway = false
  const there = databaseAhead(() => HOUR)
  const asked = vi.fn(async () => {
    if (isAway) throw new Error('away')
    return await there.query()
  })
  const following = await clock.followDatabaseClock({ query: asked }, { everyMs: 10 })
  isAway = true
  const before = asked.mock.calls.length
  await until(() => expect(asked.mock.calls.length).toBeGreaterThan(before + 2))
  expect(offBy()).toBeCloseTo(HOUR, -5)
  following.stop()
})

it('does not step within what the way of an answer leaves open', async () => {
  const { learn, databaseNow } = await import('../src/database-clock.ts')
  const machine = vi.spyOn(performance, 'now').mockReturnValue(200)
  learn({ time: 1_000_000, askedAt: 100, answeredAt: 100 })
  const exact = databaseNow() - performance.now()
  learn({ time: 1_000_040, askedAt: 110, answeredAt: 180 })
  expect(databaseNow() - performance.now()).toBe(exact)
  learn({ time: 1_005_000, askedAt: 110, answeredAt: 112 })
  expect(databaseNow() - performance.now()).toBe(exact + 4_989)
  machine.mockRestore()
})
