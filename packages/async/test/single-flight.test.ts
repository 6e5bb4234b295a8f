import { expect, test } from 'vitest'
import { createSingleFlight } from '../src/single-flight.ts'

test('calls of one key share the call that runs, and calls of another key do not', async () => {
  const share = createSingleFlight<number>()
  const gate = Promise.withResolvers<void>()
  let calls = 0
  const work = async () => {
    await gate.promise
    return ++calls
  }
  const results = Promise.all([share('a', work), share('a', work), share('b', work)])
  gate.resolve()
  expect(await results).toEqual([1, 1, 2])
})

test('the next call runs again, also after a failure', async () => {
  const share = createSingleFlight<string>()
  await expect(share('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await share('a', async () => 'back')).toBe('back')
})
