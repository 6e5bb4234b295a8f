import { richQuery } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { page, windowOf } from '../src/pagination.ts'

describe('a page', () => {
  it('points to the next one by its offset, as text', () => {
    expect(page(['a', 'b'], 5, { limit: 2, offset: 2 })).toEqual({
      items: ['a', 'b'],
      limit: 2,
      offset: 2,
      total: 5,
      has_more: true,
      next_cursor: '4',
    })
  })
  it('that is the last, or past the end, points nowhere', () => {
    expect(page(['e'], 5, { limit: 2, offset: 4 })).toMatchObject({ has_more: false, next_cursor: null })
    expect(page([], 5, { limit: 2, offset: 90 })).toMatchObject({ items: [], total: 5, has_more: false, next_cursor: null })
  })
})

describe('the window of a rich query', () => {
  it('is the first page by default', () => {
    expect(windowOf({}, 25)).toEqual({ limit: 25, offset: 0 })
  })
  it('is counted from the page, and offset wins', () => {
    expect(windowOf({ limit: 10, page: 3 }, 25)).toEqual({ limit: 10, offset: 20 })
    expect(windowOf({ limit: 10, page: 3, offset: 0 }, 25)).toEqual({ limit: 10, offset: 0 })
  })
  it('has all digits of the offset of the last page that may be asked for', () => {
    const { maximum = Number.POSITIVE_INFINITY } = richQuery.page
    for (const limit of [199, 200]) {
      const { offset } = windowOf({ limit, page: maximum }, 25)
      expect(BigInt(offset)).toBe((BigInt(maximum) - 1n) * BigInt(limit))
    }
  })
})
