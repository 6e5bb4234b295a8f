import { isRetryable } from '@tidings/postgres'
import { expect, it } from 'vitest'
import { ReadSideBehind, requireShown } from '../../src/wait/require-shown.ts'

const position = { commit: 7n, prepare: 0n }

it('asks for the position and the projections, and resolves when they show it', async () => {
  const asked: unknown[] = []
  const wait = async (...wanted: readonly unknown[]) => {
    asked.push(wanted)
    return 'visible' as const
  }
  await requireShown({ wait }, position, ['lists', 'profiles'])
  expect(asked).toEqual([[position, ['lists', 'profiles']]])
})

it('never takes "pending" for an answer: what is decided on it is decided later', async () => {
  const error = await requireShown({ wait: async () => 'pending' }, position, ['lists']).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ReadSideBehind)
  expect(error).toMatchObject({ position, projections: ['lists'] })
  expect(isRetryable(error)).toBe(true)
})

it('needs nothing for what was never appended', async () => {
  await expect(requireShown({ wait: async () => 'pending' }, null, ['lists'])).resolves.toBeUndefined()
})
