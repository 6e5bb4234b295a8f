import { expect, test } from 'vitest'
import { Unavailable } from '../../src/errors.ts'
import { createAppender } from '../../src/eventstoredb/appender.ts'
import type { AppendOutcome } from '../../src/eventstoredb/outcome.ts'

const what = { stream: 'thing-1', expected: 'any', events: [{ id: crypto.randomUUID(), type: 'A', data: '{}', meta: '{}' }] } as const

const lost: AppendOutcome = { kind: 'unknown', reason: 'the append stream was lost' }
const denied: AppendOutcome = { kind: 'denied', reason: 'EventStoreDB denied access' }

const appendWith = (outcomes: readonly AppendOutcome[]) => {
  let next = 0
  return createAppender({ attempt: async () => outcomes[next++] ?? lost, times: { deadlineMs: 3_600_000 } }).append(what)
}

test('a refusal at the first attempt says that nothing was written', async () => {
  await expect(appendWith([denied])).rejects.toThrow(new Unavailable('EventStoreDB denied access; nothing was written'))
})

test('a refusal after an attempt whose outcome is unknown does not say so', async () => {
  await expect(appendWith([lost, denied])).rejects.toThrow(
    new Unavailable('EventStoreDB denied access; whether thing-1 was written is unknown'),
  )
})

test('an append that finds no more room says whether it was asked before', async () => {
  const answers: ((outcome: AppendOutcome) => void)[] = []
  const others: Promise<unknown>[] = []
  const attempt = (): Promise<AppendOutcome> =>
    new Promise((resolve) => {
      // The room that the first append left is taken, and so is the place behind it, before that is repeated.
      if (answers.push(resolve) === 2) others.push(appender.append(what))
    })
  const limits = { appends: 1, bytes: 1_000_000, waiting: 1, waitingBytes: 1_000_000 }
  const appender = createAppender({ attempt, limits, times: { deadlineMs: 3_600_000 } })
  const first = appender.append(what)
  others.push(appender.append(what))
  await expect.poll(() => answers).toHaveLength(1)
  await expect(appender.append(what)).rejects.toThrow(new Unavailable('1 appends wait for EventStoreDB already; nothing was written'))
  answers[0]!(lost)
  await expect(first).rejects.toThrow(new Unavailable('1 appends wait for EventStoreDB already; whether thing-1 was written is unknown'))
  for (const n of [1, 2]) {
    await expect.poll(() => answers.length).toBeGreaterThan(n)
    answers[n]!({ kind: 'written', revision: 0, position: undefined })
  }
  await Promise.all(others)
})
