import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAwaited, isSettled, isSteady, noteFitness, type Replica, replicaAt } from '../../src/replicas/watched-replica.ts'

let replica: Replica
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  replica = replicaAt('postgres://replica/tidings')
})
afterEach(() => vi.useRealTimers())

type Looking = Readonly<{ fault?: string | null; startedAt?: string; isMeasured?: boolean }>

/** Looks that each take no time, as far apart as `every`. */
const look = (times: number, every: number, { fault = null, startedAt = 'first start', isMeasured = true }: Looking = {}): void => {
  for (let n = 0; n < times; n++) {
    vi.advanceTimersByTime(every)
    const lookedAt = isMeasured ? performance.now() : null
    noteFitness(replica, { look: { isReplica: true, lsn: 1n, system: '1', startedAt }, fault, lookedAt })
    replica.answers = fault === null
  }
}
const judge = (startedAt = 'first start', askedAt = performance.now()) => ({
  read: isSettled(replica, false),
  confirmed: isSteady(replica, { startedAt, askedAt }),
  awaited: isAwaited(replica),
})

describe('a replica', () => {
  it('is waited for from the first look on, and read only 2 s later', () => {
    look(4, 500)
    expect(judge()).toEqual({ read: false, confirmed: false, awaited: true })
    look(1, 500)
    expect(judge()).toEqual({ read: true, confirmed: true, awaited: true })
  })

  it('confirms nothing of what it was asked before others waited for it for 2 s', () => {
    look(4, 500)
    const askedAt = performance.now()
    look(1, 500)
    expect(judge('first start', askedAt).confirmed).toBe(false)
    expect(judge().confirmed).toBe(true)
  })

  it('confirms nothing before others stop to wait for it, where it is not heard', () => {
    look(5, 500)
    vi.advanceTimersByTime(1_500)
    expect(judge()).toEqual({ read: true, confirmed: false, awaited: true })
    vi.advanceTimersByTime(1_500)
    expect(judge().awaited).toBe(false)
  })

  it('confirms nothing for 2 s after it stood still, which others may not have waited for', () => {
    look(5, 500)
    look(1, 1_600)
    expect(judge()).toEqual({ read: true, confirmed: false, awaited: true })
    look(4, 500)
    expect(judge().confirmed).toBe(true)
  })

  it('confirms nothing where the primary does not say how far it is', () => {
    look(5, 500)
    look(3, 500, { isMeasured: false })
    expect(judge()).toEqual({ read: true, confirmed: false, awaited: true })
  })

  it('confirms nothing after a restart, noticed or not, and is read again 2 s later', () => {
    look(5, 500)
    expect(judge('second start')).toEqual({ read: true, confirmed: false, awaited: true })
    look(1, 500, { startedAt: 'second start' })
    expect(judge('second start')).toEqual({ read: false, confirmed: false, awaited: true })
    look(4, 500, { startedAt: 'second start' })
    expect(judge('second start')).toEqual({ read: true, confirmed: true, awaited: true })
  })

  it('is read again only 2 s after a fault', () => {
    look(5, 500)
    look(1, 500, { fault: 'is 9 s behind' })
    expect(judge()).toMatchObject({ read: false, confirmed: false })
    look(4, 500)
    expect(judge()).toMatchObject({ read: false, confirmed: false })
    look(1, 500)
    expect(judge()).toMatchObject({ read: true, confirmed: true })
  })
})
