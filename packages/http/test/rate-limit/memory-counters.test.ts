import { describe, expect, it } from 'vitest'
import { memoryCounters } from '../../src/rate-limit/memory-counters.ts'

const withClock = (options: { maxKeys?: number } = {}) => {
  let time = 1_000_000
  const counters = memoryCounters({ ...options, now: () => time })
  return {
    hit: counters.hit,
    pass: (ms: number) => {
      time += ms
    },
  }
}

describe('a window', () => {
  it('opens with its first request and lasts a minute', () => {
    const { hit, pass } = withClock()
    expect(hit('a', 2)).toEqual({ blocked: false, remaining: 1, resetSeconds: 60 })
    pass(59_001)
    expect(hit('a', 2)).toEqual({ blocked: false, remaining: 0, resetSeconds: 1 })
    pass(999)
    expect(hit('a', 2)).toEqual({ blocked: false, remaining: 1, resetSeconds: 60 })
  })
  it('that is overrun blocks for a whole minute from the first refused request', () => {
    const { hit, pass } = withClock()
    hit('a', 1)
    pass(50_000)
    expect(hit('a', 1)).toEqual({ blocked: true, retryAfterSeconds: 60 })
    pass(30_500)
    expect(hit('a', 1)).toEqual({ blocked: true, retryAfterSeconds: 30 })
    pass(29_500)
    expect(hit('a', 1)).toEqual({ blocked: false, remaining: 0, resetSeconds: 60 })
  })
  it('belongs to one key', () => {
    const { hit } = withClock()
    hit('a', 1)
    expect(hit('b', 1)).toMatchObject({ blocked: false, remaining: 0 })
  })
})

describe('memory', () => {
  it('is bounded: the oldest unblocked counter makes room', () => {
    const { hit } = withClock({ maxKeys: 2 })
    hit('a', 5)
    hit('b', 5)
    hit('c', 5)
    expect(hit('b', 5)).toMatchObject({ remaining: 3 })
    expect(hit('a', 5)).toMatchObject({ remaining: 4 })
  })
  it('never forgets a blocked key while others can make room', () => {
    const { hit } = withClock({ maxKeys: 3 })
    hit('bad', 1)
    hit('bad', 1)
    for (let n = 0; n < 1_000; n++) hit(`flood-${n}`, 1)
    expect(hit('bad', 1)).toMatchObject({ blocked: true })
  })
  it('lets newcomers share one counter when everything it holds is blocked', () => {
    const { hit } = withClock({ maxKeys: 2 })
    for (const key of ['a', 'a', 'b', 'b']) hit(key, 1)
    expect(hit('c', 1)).toMatchObject({ blocked: false })
    expect(hit('d', 1)).toMatchObject({ blocked: true })
    expect(hit('a', 1)).toMatchObject({ blocked: true })
  })
})
