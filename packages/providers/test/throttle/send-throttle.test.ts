import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DeliveryError, type Priority, type SendOptions } from '../../src/port.ts'
import { SendThrottle } from '../../src/throttle/send-throttle.ts'
import { Throttled } from '../../src/throttle/throttled.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const TOO_FAST = { response: '429', about: 'recipient' } as const

/** A throttle before a server that takes what `takes` says, and what came there in its order. */
const opened = (takes: (to: string) => boolean) => {
  const throttle = new SendThrottle()
  const tries: string[] = []
  const send = (to: string, changes: Partial<SendOptions> & Readonly<{ workspaceId?: WorkspaceId }> = {}) => {
    const { workspaceId = asWorkspaceId('a'), ...more } = changes
    const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'marketing', ...more }
    return throttle.send({ workspaceId, to, route: `${workspaceId} ${to.slice(0, 1)}` }, options, async ({ fence, handedOver }) => {
      await fence()
      tries.push(to)
      handedOver?.()
      if (!takes(to)) throw new Throttled('too fast', TOO_FAST)
      return to
    })
  }
  return { send, tries }
}
const failure = (error: unknown) => error

describe('a server that refuses because it is asked too often', () => {
  test('one recipient: that message comes back and goes again, later each time, and fails for now after six tries', async () => {
    const { send, tries } = opened((to) => to !== 'x1')
    let [left, back] = [0, 0]
    const poison = send('x1', { handedOver: () => left++, returned: () => back++ }).catch(failure)
    for (let n = 0; n < 20; n++) {
      expect(await send(`x2${n}`)).toBe(`x2${n}`)
      await vi.advanceTimersByTimeAsync(500)
    }
    expect(await poison).toMatchObject({ failure: 'temporary', response: '429' })
    expect([tries.filter((to) => to === 'x1').length, left, back]).toEqual([6, 6, 6])
  })

  test('one recipient, for one workspace’s campaign: no other workspace waits for him, and nothing that goes first', async () => {
    let isFull = true
    const { send, tries } = opened(() => !isFull)
    const campaign = send('x1')
    await vi.advanceTimersByTimeAsync(2_000)
    isFull = false
    const before = tries.length
    const sent: string[] = []
    const others = [
      { workspaceId: asWorkspaceId('b') },
      { workspaceId: asWorkspaceId('b'), priority: 'transactional' },
      { priority: 'passcode' },
    ] as const
    for (const [n, changes] of others.entries()) void send('x1', changes).then(() => sent.push(`${n}`))
    const ownToo = send('x1').then(() => sent.push('own'))
    await vi.advanceTimersByTimeAsync(0)
    expect([tries.length - before, sent.join()]).toEqual([3, '0,1,2'])
    await vi.advanceTimersByTimeAsync(4_000)
    await Promise.all([campaign, ownToo])
    expect(sent.join()).toBe('0,1,2,own')
  })

  test('all of one route: what goes elsewhere is sent at once', async () => {
    const { send, tries } = opened((to) => !to.startsWith('x'))
    await send('y0', { workspaceId: asWorkspaceId('b') })
    const away = Array.from({ length: 20 }, (_, n) => send(`x${n}`).catch(failure))
    await vi.advanceTimersByTimeAsync(1_000)
    const before = tries.length
    const priorities: readonly Priority[] = ['passcode', 'transactional', 'marketing']
    for (const priority of priorities)
      expect(await send(`y ${priority}`, { workspaceId: asWorkspaceId('b'), priority })).toBe(`y ${priority}`)
    expect(tries.slice(before)).toEqual(priorities.map((priority) => `y ${priority}`))
    await vi.advanceTimersByTimeAsync(1_500_000)
    for (const error of await Promise.all(away)) expect(error).toMatchObject({ failure: 'temporary' })
    expect(tries.filter((to) => to.startsWith('x')).length).toBeLessThanOrEqual(20 * 30)
  })

  test('all recipients: every message waits, passcodes go first when it takes them again, and no try is used up', async () => {
    let isOver = false
    const { send, tries } = opened(() => isOver)
    const routes = ['x', 'y', 'z']
    const all = Array.from({ length: 30 }, (_, n) => send(`${routes[n % 3]}${n}`, { workspaceId: asWorkspaceId(`${n % 2}`) }))
    await vi.advanceTimersByTimeAsync(120_000)
    // One in two seconds in the end, and not 30 of each second.
    expect(tries.length).toBeLessThan(150)
    isOver = true
    const before = tries.length
    const code = send('w1', { priority: 'passcode', workspaceId: asWorkspaceId('c') })
    await vi.advanceTimersByTimeAsync(4_000)
    expect(tries.slice(before).indexOf('w1')).toBeLessThan(3)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await Promise.all([...all, code])).toHaveLength(31)
  })

  test('a message that is stopped while it waits was never sent again', async () => {
    const { send, tries } = opened(() => false)
    const stopping = new AbortController()
    const waiting = send('x1', { signal: stopping.signal }).catch(failure)
    await vi.advanceTimersByTimeAsync(10)
    stopping.abort()
    expect(await waiting).toMatchObject({ failure: 'outage' })
    expect(tries).toEqual(['x1'])
  })

  test('what a gate closes while it waits is not sent, and its error is thrown', async () => {
    let isTaken = false
    const { send, tries } = opened(() => isTaken)
    const closed = new Error('the campaign was cancelled')
    let isClosed = false
    const fence = () => (isClosed ? Promise.reject(closed) : undefined)
    const waiting = ['x1', 'y2', 'z3'].map((to) => send(to, { fence }).catch(failure))
    await vi.advanceTimersByTimeAsync(10)
    isClosed = true
    isTaken = true
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await Promise.all(waiting)).toEqual([closed, closed, closed])
    expect(tries).toHaveLength(3)
  })

  test.each([
    ['a gate closes', () => Promise.reject(new Error('the campaign was cancelled'))],
    [
      'an outage keeps back',
      () => {
        throw new DeliveryError('outage', 'no connection')
      },
    ],
  ])('what %s on a route that is slowed down leaves its time to the next message', async (_, fence) => {
    let isTaken = false
    const { send, tries } = opened((to) => isTaken || !to.startsWith('x'))
    await send('y0', { workspaceId: asWorkspaceId('b') })
    const slowedDown = ['x1', 'x2', 'x3'].map((to) => send(to))
    await vi.advanceTimersByTimeAsync(10)
    isTaken = true
    await vi.advanceTimersByTimeAsync(5_000)
    await Promise.all(slowedDown)
    const before = tries.length
    const closed = Array.from({ length: 50 }, (_, n) => send(`x closed ${n}`, { fence }).catch(failure))
    const live = send('x live', { priority: 'marketing' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(tries.slice(before)).toEqual(['x live'])
    await Promise.all([...closed, live])
  })
})
