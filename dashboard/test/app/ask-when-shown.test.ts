import { MutationObserver, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAskWhenShown } from '../../src/app/ask-when-shown.ts'
import { createQueryClient } from '../../src/app/query-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A screen that shows a record, and a write of it that reads show `lateMs` after its answer. */
async function written({ isShown, lateMs, isForm = false }: Readonly<{ isShown: boolean; lateMs: number; isForm?: boolean }>) {
  const queries = createQueryClient()
  let [record, asked] = ['old', 0]
  const screen = new QueryObserver(queries, {
    queryKey: ['records'],
    queryFn: async () => {
      asked++
      return record
    },
    ...(isForm && { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  })
  const leave = screen.subscribe(() => undefined)
  const write = new MutationObserver(queries, {
    mutationFn: async () => {
      setTimeout(() => {
        record = 'new'
      }, lateMs)
      return { data: null, isShown }
    },
    ...(!isForm && { onSettled: () => queries.invalidateQueries({ queryKey: ['records'] }) }),
  })
  await write.mutate()
  return { shown: () => screen.getCurrentResult().data, asked: () => asked, leave }
}

it.each([1_000, 3_000, 30_000])('a write that reads show %d ms after its answer is on the screen by itself', async (lateMs) => {
  const { shown, leave } = await written({ isShown: false, lateMs })
  expect(shown()).toBe('old')
  await vi.advanceTimersByTimeAsync(2 * lateMs + 2_000)
  expect(shown()).toBe('new')
  leave()
})

it('asks no more than six times, and not at all where the write is shown', async () => {
  const late = await written({ isShown: false, lateMs: 1_000 })
  const before = late.asked()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(late.asked() - before).toBe(6)
  const once = await written({ isShown: true, lateMs: 0 })
  const then = once.asked()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(once.asked()).toBe(then)
  late.leave()
  once.leave()
})

it('changes nothing below a form, whose save says what was seen', async () => {
  const { shown, leave } = await written({ isShown: false, lateMs: 1_000, isForm: true })
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(shown()).toBe('old')
  leave()
})

it('says that it asks again for as long as it does, and never of a write that is shown', async () => {
  const said: boolean[] = []
  const written = createAskWhenShown({ queries: createQueryClient, say: (isLate) => void said.push(isLate) })
  written({ isShown: true })
  written({ isShown: false })
  expect(said).toEqual([true])
  await vi.advanceTimersByTimeAsync(59_000)
  written({ isShown: false })
  await vi.advanceTimersByTimeAsync(59_000)
  expect(said).toEqual([true, true])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(said).toEqual([true, true, false])
})
