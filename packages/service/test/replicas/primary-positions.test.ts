import { describe, expect, it } from 'vitest'
import { primaryPositions } from '../../src/replicas/primary-positions.ts'

describe('the lag of a replica', () => {
  it('is unknown before the primary said anything, and while the replica has not reached the first position', () => {
    const positions = primaryPositions(10_000)
    expect([positions.lagMs(5n, 0), positions.lagBytes(5n)]).toEqual([null, null])
    positions.note(10n, 0)
    expect([positions.lagMs(9n, 3), positions.lagBytes(9n)]).toEqual([null, 1n])
  })

  it('is none where nothing was written since, however long ago', () => {
    const positions = primaryPositions(10_000)
    positions.note(10n, 0)
    positions.note(10n, 50_000)
    expect([positions.lagMs(10n, 60_000), positions.lagMs(11n, 60_000), positions.lagBytes(11n)]).toEqual([0, 0, 0n])
  })

  it('counts from when the primary went beyond what the replica shows', () => {
    const positions = primaryPositions(10_000)
    for (const [lsn, at] of [
      [10n, 0],
      [20n, 500],
      [30n, 1_000],
    ] as const)
      positions.note(lsn, at)
    expect([10n, 15n, 20n, 30n].map((lsn) => positions.lagMs(lsn, 1_200))).toEqual([700, 700, 200, 0])
    expect(positions.lagBytes(15n)).toBe(15n)
  })

  it('is longer than is measured where the position is not kept any more', () => {
    const positions = primaryPositions(1_000)
    for (let n = 0; n <= 10; n++) positions.note(BigInt(n), n * 500)
    expect([positions.lagMs(1n, 5_000), positions.lagMs(9n, 5_000)]).toEqual([null, 0])
  })

  it('begins again with another server, whose WAL ends earlier', () => {
    const positions = primaryPositions(10_000)
    positions.note(100n, 0)
    positions.note(50n, 500)
    expect([positions.lagMs(40n, 600), positions.lagMs(50n, 600)]).toEqual([null, 0])
  })
})
