import { expect, it } from 'vitest'
import { BYTES_PER_INTERVAL, slowestBodyMs, watchRate } from '../../src/body/body-rate.ts'
import { manualTimer } from '../wire.fixture.ts'

const watched = () => {
  const timer = manualTimer()
  const body = { received: 0, stalls: 0 }
  const stop = watchRate({
    after: timer.after,
    received: () => body.received,
    onStalled: () => {
      body.stalls++
    },
  })
  return { timer, body, stop }
}

it('asks nothing of the first 10 s, and 160 KiB of every 10 s from then on', () => {
  const { timer, body } = watched()
  timer.pass(19_999)
  expect(body.stalls).toBe(0)
  body.received += BYTES_PER_INTERVAL
  timer.pass(10_000)
  expect(body.stalls).toBe(0)
  body.received += BYTES_PER_INTERVAL - 1
  timer.pass(1)
  expect(body.stalls).toBe(1)
  timer.pass(1_000_000)
  expect([body.stalls, timer.waiting()]).toEqual([1, 0])
})

it('forgets a body that has ended', () => {
  const { timer, body, stop } = watched()
  timer.pass(15_000)
  stop()
  timer.pass(1_000_000)
  expect([body.stalls, timer.waiting()]).toEqual([0, 0])
})

it('lets a body of 8 MiB take less than nine minutes', () => {
  expect(slowestBodyMs(8 * 1024 * 1024)).toBe(540_000)
})
