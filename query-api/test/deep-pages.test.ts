import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import type { Extent, Timeline } from '@tidings/read-models'
import { expect, test, vi } from 'vitest'
import { deepPages } from '../src/deep-pages.ts'

const EXTENT: Extent = { total: 100_000n, removed: '0', mark: '1', recent: 0n }

/** A timeline where nothing ever happens, and what was skipped for each of its pages. */
const still = (workspaceId: WorkspaceId, name: string) => {
  const skipped: number[] = []
  const timeline: Timeline = {
    workspaceId,
    name,
    page: async ({ after, skip, limit }) => {
      skipped.push(skip)
      const from = (after === null ? 0 : Number(after.id)) + skip
      return Array.from({ length: limit }, (_, n) => ({ id: String(from + n + 1), at: '', ...EXTENT }))
    },
    isSame: () => true,
    now: async (known) => known,
  }
  return { timeline, skipped }
}

const window = (offset: number) => ({ offset, limit: 10 })

test('what one workspace pages through forgets nothing of the others', async () => {
  const pages = deepPages()
  const { timeline, skipped } = still(asWorkspaceId('quiet'), 'profiles')
  await pages(timeline, 'asc', window(5_000))
  for (let n = 0; n < 1_000; n++) await pages(still(asWorkspaceId('busy'), `members of ${n}`).timeline, 'asc', window(5_000))
  await pages(timeline, 'asc', window(5_010))
  expect(skipped).toEqual([5_000, 0])
})

test('one that was read to its end does not keep two that read side by side from their places', async () => {
  const pages = deepPages()
  const { timeline, skipped } = still(asWorkspaceId('one'), 'profiles')
  for (let offset = 90_000; offset < 90_500; offset += 10) await pages(timeline, 'asc', window(offset))
  skipped.length = 0
  for (const step of [0, 10, 20]) for (const start of [50_000, 20_000]) await pages(timeline, 'asc', window(start + step))
  expect(skipped).toEqual([50_000, 20_000, 0, 0, 0, 0])
})

test('a place is forgotten after ten minutes, however often it was moved on', async () => {
  const pages = deepPages()
  const { timeline, skipped } = still(asWorkspaceId('one'), 'profiles')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    for (let minute = 0; minute < 12; minute++) {
      await pages(timeline, 'asc', window(5_000 + minute * 10))
      now += 60_000
      // The memory reads its clock once in a millisecond.
      vi.advanceTimersByTime(1)
    }
    expect(skipped.filter((skip) => skip > 0)).toHaveLength(2)
  } finally {
    clock.mockRestore()
    vi.useRealTimers()
  }
})
