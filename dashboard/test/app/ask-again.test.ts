import { focusManager, notifyManager, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiProblem } from '../../src/api/client.ts'
import { watchPresence } from '../../src/api/polling.ts'
import { createQueryClient } from '../../src/app/query-client.ts'

const problem = (status: number, retryAfterMs: number | null = null) => new ApiProblem({ status, message: `${status}`, retryAfterMs })

let stopWatching = (): void => undefined
beforeEach(() => {
  vi.useFakeTimers()
  stopWatching = watchPresence(new EventTarget())
})
afterEach(() => {
  stopWatching()
  focusManager.setFocused(undefined)
  vi.useRealTimers()
})

/** A screen that asks; `answers` are given in turn, the last one from then on. */
function screenWith(...answers: readonly (ApiProblem | string)[]) {
  const asked: number[] = []
  const shown: string[] = []
  const began = Date.now()
  const observer = new QueryObserver<string>(createQueryClient(), {
    queryKey: ['x'],
    queryFn: async () => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? ''
      asked.push(Date.now() - began)
      if (answer instanceof ApiProblem) throw answer
      return answer
    },
  })
  // As React does: it draws what there is once the library has done with a change.
  const leave = observer.subscribe(
    notifyManager.batchCalls(() => {
      const { data, error } = observer.getCurrentResult()
      const text = data ?? error?.message ?? 'loading'
      if (shown.at(-1) !== text) shown.push(text)
    }),
  )
  return { asked, shown, leave, observer, result: () => observer.getCurrentResult() }
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it.each([0, 502, 503, 504])('asks again after %d, later each time, and shows what it could not read until it can', async (status) => {
  const { asked, shown, leave } = screenWith(...Array.from({ length: 8 }, () => problem(status)), 'data')
  await later(60_000)
  leave()
  const waits = asked.map((at, index) => at - (asked[index - 1] ?? 0)).filter((ms) => ms > 1_500)
  expect(waits).toHaveLength(4)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(shown).toEqual(['loading', `${status}`, 'data'])
})

it.each([400, 403, 404, 409, 429, 500])('leaves an answer of %d to the button', async (status) => {
  const { asked, result, leave } = screenWith(problem(status))
  await later(300_000)
  expect(asked.length).toBeLessThanOrEqual(2)
  expect(result().error).toMatchObject({ status })
  leave()
})

it('asks no sooner than the service wants, and the button asks at once', async () => {
  const { asked, observer, result, leave } = screenWith(problem(503, 90_000), problem(503, 90_000), 'data')
  await later(89_999)
  expect(asked).toEqual([0])
  await later(5_000)
  expect(asked).toHaveLength(2)
  await observer.refetch()
  expect(result().data).toBe('data')
  await later(300_000)
  expect(asked).toHaveLength(3)
  leave()
})

it('asks nothing for a screen that is left, in a hidden tab, and on a deserted page', async () => {
  const left = screenWith(problem(503, 0))
  await later(1_000)
  left.leave()
  const before = left.asked.length
  await later(120_000)
  expect(left.asked).toHaveLength(before)

  const hidden = screenWith(problem(503, 0), 'data')
  await later(1_000)
  focusManager.setFocused(false)
  await later(120_000)
  expect(hidden.asked).toHaveLength(1)
  focusManager.setFocused(true)
  await later(10_000)
  expect(hidden.result().data).toBe('data')
  hidden.leave()

  const alone = screenWith(problem(503, 0))
  await later(1_200_000)
  const asked = alone.asked.length
  await later(600_000)
  expect(alone.asked).toHaveLength(asked)
  alone.leave()
})

it('asks for a screen that polls by the same delays while the service is away', async () => {
  const answers = [problem(503, 60_000), 'data']
  const { asked, leave } = screenWith(...answers)
  await later(59_000)
  expect(asked).toHaveLength(1)
  leave()
})
