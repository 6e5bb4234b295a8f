import { asContactId } from '@tidings/domain'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFollower } from '../src/follower.ts'
import { ada, created, world } from './reference-cache.testing.ts'
import { at, scriptedLog } from './testing/scripted-log.ts'

describe('a follower of the log', () => {
  it('subscribes only to the types of its views', async () => {
    const { asked } = await world()
    expect(asked).toEqual([{ from: 'end', types: ['ContactCreated', 'ContactEmailChanged'] }])
  })

  it('resumes a broken subscription where it was', async () => {
    const { asked, deliver, fail, errors } = await world()
    await deliver([created(asContactId('1'), ada.email, 11)], 11)
    await fail(new Error('cannot decode'))
    await expect.poll(() => asked.length).toBe(2)
    expect(asked[1]).toMatchObject({ from: at(11) })
    expect(errors).toHaveLength(1)
  })

  it('reports a failure once, and again when it recovered in between; meanwhile it is not caught up', async () => {
    const { asked, deliver, fail, errors, follower, pass } = await world()
    const subscribed = (times: number) => expect.poll(() => asked.length).toBe(times)
    await fail(new Error('this build does not know the event'))
    await subscribed(2)
    pass(1_000)
    await fail(new Error('this build does not know the event'))
    await subscribed(3)
    expect([errors.length, follower.isCaughtUp()]).toEqual([1, false])
    await deliver([], 11)
    expect(follower.isCaughtUp()).toBe(true)
    await fail(new Error('this build does not know the event'))
    await subscribed(4)
    expect(errors).toHaveLength(2)
  })

  it('is not caught up from the failure on, though it heard the log a moment ago, until it has caught up again', async () => {
    const { deliver, fail, follower } = await world()
    await deliver([], 11)
    expect([follower.isCaughtUp(), follower.isBroken()]).toEqual([true, false])
    await fail(new Error('this build does not know the event'))
    expect([follower.isCaughtUp(), follower.isBroken()]).toEqual([false, true])
  })

  it('says that it has passed a position as soon as its batch is applied, without waiting for a clock', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { deliver, follower } = await world()
    await deliver([], 11)
    expect(await follower.hasPassed(at(11), 100)).toBe(true)
    const timers = vi.getTimerCount()
    const later = follower.hasPassed(at(13), 100)
    await deliver([], 12)
    await deliver([], 13)
    expect(await later).toBe(true)
    expect(vi.getTimerCount()).toBeLessThanOrEqual(timers)
  })

  it('says that it has not passed a position when the time is over, and forgets the question', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { deliver, follower } = await world()
    await deliver([], 11)
    const never = follower.hasPassed(at(12), 100)
    await vi.advanceTimersByTimeAsync(100)
    expect(await never).toBe(false)
    await deliver([], 12)
    expect(await follower.hasPassed(at(12), 100)).toBe(true)
  })

  it('is not caught up while other processes do not wait for this one', async () => {
    const script = scriptedLog()
    let isKnown = false
    const follower = createFollower({ log: script.log, views: [], isKnown: () => isKnown, now: () => 0 })
    await script.deliver([], 10)
    expect(follower.isCaughtUp()).toBe(false)
    isKnown = true
    expect(follower.isCaughtUp()).toBe(true)
    await follower.close()
  })
})
