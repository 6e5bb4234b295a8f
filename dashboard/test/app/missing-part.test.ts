import { expect, it } from 'vitest'
import { isMissingPart, noteLoadedAnew, wasLoadedAnew, watchMissingParts } from '../../src/app/missing-part.ts'

it('knows what Vite could not load from every other fault', () => {
  const target = new EventTarget()
  watchMissingParts(target as Pick<Window, 'addEventListener'>)
  const [missing, other] = [new TypeError('Failed to fetch'), new TypeError('Failed to fetch')]
  target.dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: missing }))
  expect([missing, other, 'Failed to fetch', null].map(isMissingPart)).toEqual([true, false, false, false])
})

it('loads a screen anew once a minute, and each screen by itself', () => {
  const kept = new Map<string, string>()
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) }
  expect(wasLoadedAnew(storage, '/dashboard/w/a', 0)).toBe(false)
  noteLoadedAnew(storage, '/dashboard/w/a?search=b c', 1_000)
  expect(wasLoadedAnew(storage, '/dashboard/w/a?search=b c', 60_999)).toBe(true)
  expect(wasLoadedAnew(storage, '/dashboard/w/a?search=b c', 61_000)).toBe(false)
  expect(wasLoadedAnew(storage, '/dashboard/w/b', 2_000)).toBe(false)
})
