import { expect, test } from 'vitest'
import { createSendQueue } from './send-queue.ts'

const signal = new AbortController().signal
const microtasks = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

test('it runs so many at once, and refuses what waits beyond its bound', async () => {
  const queue = createSendQueue({ maxActive: 2, maxWaiting: 3 })
  const gate = Promise.withResolvers<void>()
  let running = 0
  const call = async () => {
    running++
    await gate.promise
  }
  const calls = Array.from({ length: 5 }, () => queue.run(call, { signal, first: false }))
  await microtasks()
  expect(running).toBe(2)
  await expect(queue.run(call, { signal, first: false })).rejects.toMatchObject({ name: 'DeliveryError', failure: 'outage' })
  // What was let in once is not refused later.
  calls.push(queue.run(call, { signal, first: true }))
  gate.resolve()
  await Promise.all(calls)
  expect(running).toBe(6)
})

test('what goes first goes before those that wait', async () => {
  const queue = createSendQueue({ maxActive: 1, maxWaiting: 10 })
  const order: string[] = []
  const call = (name: string) => async () => void order.push(name)
  const gate = Promise.withResolvers<void>()
  const calls = [queue.run(() => gate.promise, { signal, first: false })]
  calls.push(queue.run(call('late'), { signal, first: false }), queue.run(call('again'), { signal, first: true }))
  gate.resolve()
  await Promise.all(calls)
  expect(order).toEqual(['again', 'late'])
})

test('a signal ends the wait, and never a call', async () => {
  const queue = createSendQueue({ maxActive: 1, maxWaiting: 10 })
  const stopping = new AbortController()
  const gate = Promise.withResolvers<string>()
  const running = queue.run(() => gate.promise, { signal: stopping.signal, first: false })
  let began = false
  const begin = async () => {
    began = true
  }
  const waiting = queue.run(begin, { signal: stopping.signal, first: false })
  stopping.abort()
  await expect(waiting).rejects.toMatchObject({ failure: 'outage' })
  gate.resolve('sent')
  expect(await running).toBe('sent')
  expect(began).toBe(false)
})

test('paused it begins nothing; closed it fails what waits, and waits for what runs', async () => {
  const queue = createSendQueue({ maxActive: 1, maxWaiting: 10 })
  queue.pause(600_000)
  const waiting = queue.run(async () => 'sent', { signal, first: false })
  waiting.catch(() => undefined)
  await microtasks()
  await queue.close()
  await expect(waiting).rejects.toMatchObject({ failure: 'outage' })
  await expect(queue.run(async () => 'sent', { signal, first: false })).rejects.toMatchObject({ failure: 'outage' })
})

test('after a pause half as many run at once, and one more with every success', async () => {
  const queue = createSendQueue({ maxActive: 8, maxWaiting: 100 })
  let running = 0
  const begin = () => {
    const gate = Promise.withResolvers<void>()
    const call = async () => {
      running++
      await gate.promise
    }
    const calls = Array.from({ length: 20 }, () => queue.run(call, { signal, first: false }))
    return { calls, gate }
  }
  queue.pause(0)
  const { calls, gate } = begin()
  await expect.poll(() => running).toBe(4)
  queue.grow()
  await expect.poll(() => running).toBe(5)
  for (let n = 0; n < 20; n++) queue.grow()
  await expect.poll(() => running).toBe(8)
  gate.resolve()
  await Promise.all(calls)
})
