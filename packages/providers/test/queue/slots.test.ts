import { asWorkspaceId } from '@tidings/domain'
import { describe, expect, test } from 'vitest'
import type { Priority } from '../../src/port.ts'
import { Slots } from '../../src/queue/slots.ts'

const signal = new AbortController().signal

/** Slots, the names of who has one now, and how each leaves. */
const opened = (slots: number, carriesPasscodes = true, maxOfOne?: number) => {
  const room = new Slots({ slots, carriesPasscodes, ...(maxOfOne !== undefined && { maxOfOne }) })
  const inside = new Map<string, () => void>()
  const enter = (priority: Priority, workspaceId = asWorkspaceId('a'), name = `${priority} ${workspaceId}`, stop = signal) =>
    room.take({ priority, workspaceId, signal: stop }).then((leave) => {
      inside.set(name, () => {
        inside.delete(name)
        leave()
      })
    })
  const many = (count: number, priority: Priority, workspaceId = asWorkspaceId('a')) =>
    Array.from({ length: count }, (_, n) => enter(priority, workspaceId, `${priority} ${workspaceId} ${n}`))
  return { room, inside, enter, many }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))
const countOf = (inside: ReadonlyMap<string, unknown>, start: string): number =>
  [...inside.keys()].filter((name) => name.startsWith(start)).length

describe('the slots of a provider', () => {
  test.each([
    [1, 1, 1, 1],
    [2, 1, 1, 2],
    [3, 1, 2, 3],
    [10, 8, 9, 10],
    [20, 18, 19, 20],
  ])('of %i marketing may take %i, with transactional messages %i, with passcodes %i', async (slots, marketing, transactional, all) => {
    const { inside, many } = opened(slots)
    for (const workspace of [asWorkspaceId('a'), asWorkspaceId('b'), asWorkspaceId('c')]) void many(30, 'marketing', workspace)
    await settled()
    expect(inside.size).toBe(marketing)
    for (const workspace of [asWorkspaceId('a'), asWorkspaceId('b'), asWorkspaceId('c')]) void many(30, 'transactional', workspace)
    await settled()
    expect(inside.size).toBe(transactional)
    for (const workspace of [asWorkspaceId('a'), asWorkspaceId('b'), asWorkspaceId('c')]) void many(30, 'passcode', workspace)
    await settled()
    expect(inside.size).toBe(all)
  })

  test('are never all held by one workspace: another one’s message finds one, in slow hands or not', async () => {
    const { inside, enter, many } = opened(10)
    void many(100, 'transactional', asWorkspaceId('a'))
    await settled()
    expect(countOf(inside, 'transactional a')).toBe(8)
    await enter('transactional', asWorkspaceId('b'))
    void many(100, 'passcode', asWorkspaceId('a'))
    await settled()
    expect(inside.size).toBe(10)
  })

  test('where none carries passcodes, transactional messages may take all but one workspace’s', async () => {
    const { inside, many } = opened(10, false)
    void many(100, 'transactional', asWorkspaceId('a'))
    void many(100, 'transactional', asWorkspaceId('b'))
    await settled()
    expect([inside.size, countOf(inside, 'transactional a')]).toEqual([10, 9])
  })

  test('a single slot goes to the next by class, then by workspace', async () => {
    const { inside, enter } = opened(1)
    await enter('marketing', asWorkspaceId('a'), 'first')
    void enter('marketing', asWorkspaceId('a'), 'second')
    void enter('marketing', asWorkspaceId('b'), 'third')
    void enter('transactional', asWorkspaceId('c'), 'order')
    void enter('passcode', asWorkspaceId('c'), 'code')
    const order: string[] = []
    while (inside.size > 0) {
      const [[name, leave]] = [...inside] as [[string, () => void]]
      order.push(name)
      leave()
      await settled()
    }
    expect(order).toEqual(['first', 'code', 'order', 'second', 'third'])
  })

  test('a message that is stopped while it waits is refused, and the slot goes to the next', async () => {
    const { inside, enter } = opened(1)
    await enter('transactional', asWorkspaceId('a'), 'first')
    const stopping = new AbortController()
    const stopped = enter('transactional', asWorkspaceId('a'), 'second', stopping.signal)
    void enter('transactional', asWorkspaceId('a'), 'third')
    stopping.abort()
    await expect(stopped).rejects.toMatchObject({ failure: 'outage' })
    await expect(enter('passcode', asWorkspaceId('a'), 'late', stopping.signal)).rejects.toMatchObject({ failure: 'outage' })
    inside.get('first')?.()
    await settled()
    expect([...inside.keys()]).toEqual(['third'])
  })

  test('too many that wait are refused of their workspace alone', async () => {
    const { inside, enter } = opened(1, true, 2)
    await enter('transactional', asWorkspaceId('a'), 'first')
    const waiting = [enter('transactional', asWorkspaceId('a'), 'second'), enter('transactional', asWorkspaceId('a'), 'third')]
    await expect(enter('transactional', asWorkspaceId('a'), 'fourth')).rejects.toMatchObject({ failure: 'outage' })
    void enter('transactional', asWorkspaceId('b'), 'other')
    expect([inside.size, waiting.length]).toEqual([1, 2])
    inside.get('first')?.()
    await settled()
    inside.get('second')?.()
    await settled()
    expect([...inside.keys()]).toEqual(['other'])
  })

  test('closed, what waits fails, and it waits for what has a slot', async () => {
    const { room, inside, enter } = opened(1)
    await enter('transactional', asWorkspaceId('a'), 'first')
    const waiting = enter('transactional', asWorkspaceId('a'), 'second')
    let isClosed = false
    const closing = room.close().then(() => {
      isClosed = true
    })
    await expect(waiting).rejects.toMatchObject({ failure: 'outage' })
    await expect(enter('passcode')).rejects.toMatchObject({ failure: 'outage' })
    expect(isClosed).toBe(false)
    inside.get('first')?.()
    await closing
  })
})
