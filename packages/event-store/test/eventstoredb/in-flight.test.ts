import { expect, test } from 'vitest'
import { Unavailable } from '../../src/errors.ts'
import { createInFlight } from '../../src/eventstoredb/in-flight.ts'

const limits = { appends: 2, bytes: 100, waiting: 2, waitingBytes: 300 }
const settled = async (promise: Promise<unknown>) => {
  let done = false
  void promise.then(() => (done = true))
  await new Promise((resolve) => setImmediate(resolve))
  return done
}

test('appends enter up to the limit of their number, the next when one leaves', async () => {
  const inFlight = createInFlight(limits)
  const leave = await inFlight.enter(1)
  await inFlight.enter(1)
  const third = inFlight.enter(1)
  expect(await settled(third)).toBe(false)
  leave()
  expect(await settled(third)).toBe(true)
})

test('appends enter up to the limit of their bytes, and keep their order though a smaller one would fit', async () => {
  const inFlight = createInFlight(limits)
  const leave = await inFlight.enter(60)
  const [large, small] = [inFlight.enter(60), inFlight.enter(10)]
  expect(await settled(small)).toBe(false)
  leave()
  expect(await Promise.all([large, small].map(settled))).toEqual([true, true])
})

test('an append above the limit of bytes goes alone', async () => {
  const inFlight = createInFlight(limits)
  const leave = await inFlight.enter(250)
  const next = inFlight.enter(1)
  expect(await settled(next)).toBe(false)
  leave()
  expect(await settled(next)).toBe(true)
})

test('too many waiting appends, or too much, are refused in one sentence', async () => {
  const inFlight = createInFlight(limits)
  await inFlight.enter(100)
  void inFlight.enter(100)
  await expect(inFlight.enter(250)).rejects.toBeInstanceOf(Unavailable)
  void inFlight.enter(100)
  await expect(inFlight.enter(1)).rejects.toThrow('2 appends wait for EventStoreDB already')
})
