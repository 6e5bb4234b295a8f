import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Priority } from '../../src/port.ts'
import { FairQueue, PASSES, PRIORITIES, type Queued } from '../../src/queue/fair-queue.ts'

type Item = Queued & Readonly<{ n: number }>

const items = (workspaceId: WorkspaceId, count: number, priority: Priority = 'marketing'): readonly Item[] =>
  Array.from({ length: count }, (_, n) => ({ workspaceId, priority, n }))
const filled = (...all: readonly Item[]): FairQueue<Item> => {
  const queue = new FairQueue<Item>()
  for (const item of all) queue.push(item)
  return queue
}
const taken = (queue: FairQueue<Item>, count: number): readonly string[] =>
  Array.from({ length: count }, () => queue.take()).flatMap((item) => (item === undefined ? [] : [`${item.workspaceId}${item.n}`]))

describe('what waits for a provider', () => {
  test('of another workspace waits for one message of a backlog of 2 000, not for the backlog', () => {
    const queue = filled(...items(asWorkspaceId('a'), 2_000))
    queue.take()
    queue.push({ workspaceId: asWorkspaceId('b'), priority: 'marketing', n: 0 })
    expect(taken(queue, 3)).toEqual(['a1', 'b0', 'a2'])
  })

  test('goes by class first, then one of each workspace in turn', () => {
    const queue = filled(
      ...items(asWorkspaceId('a'), 2),
      ...items(asWorkspaceId('b'), 1, 'transactional'),
      ...items(asWorkspaceId('c'), 2),
      ...items(asWorkspaceId('a'), 1, 'passcode'),
    )
    expect(queue.size).toBe(6)
    expect(queue.drain().map(({ workspaceId, priority }) => `${workspaceId} ${priority}`)).toEqual([
      'a passcode',
      'b transactional',
      'a marketing',
      'c marketing',
      'a marketing',
      'c marketing',
    ])
  })

  test('of marketing waits for no end of the transactional backlog of another workspace', () => {
    const queue = filled(
      ...items(asWorkspaceId('a'), 1_000, 'transactional'),
      ...items(asWorkspaceId('b'), 3),
      ...items(asWorkspaceId('c'), 1),
    )
    const order = Array.from({ length: 4 * (PASSES + 1) }, () => queue.take()?.workspaceId)
    const backlog = Array.from({ length: PASSES }, () => 'a')
    expect(order).toEqual(['b', 'c', 'b', 'b'].flatMap((marketing) => [...backlog, marketing]))
  })

  test('of marketing waits for all transactional messages of its own workspace, and never goes before a passcode', () => {
    const own = filled(...items(asWorkspaceId('a'), 50, 'transactional'), ...items(asWorkspaceId('a'), 1))
    expect(own.drain().at(-1)).toMatchObject({ priority: 'marketing' })
    const flood = filled(...items(asWorkspaceId('a'), 50, 'transactional'), ...items(asWorkspaceId('b'), 5))
    for (let n = 0; n < PASSES; n++) flood.take()
    for (const passcode of items(asWorkspaceId('c'), 30, 'passcode')) flood.push(passcode)
    expect(taken(flood, 31).slice(0, 30)).toEqual(items(asWorkspaceId('c'), 30).map(({ n }) => `c${n}`))
  })

  test('a class or workspace that may take none now keeps its order, and the next one goes', () => {
    const queue = filled(...items(asWorkspaceId('a'), 2), ...items(asWorkspaceId('b'), 1))
    expect(queue.take(({ workspaceId }) => workspaceId === 'b')?.workspaceId).toBe('b')
    expect(queue.take(() => false)).toBeUndefined()
    expect(taken(queue, 3)).toEqual(['a0', 'a1'])
  })

  test('what was begun goes before the rest of its workspace, in its own order, and before no other class', () => {
    const queue = filled(...items(asWorkspaceId('a'), 2), ...items(asWorkspaceId('b'), 1, 'transactional'))
    queue.pushFirst({ workspaceId: asWorkspaceId('a'), priority: 'marketing', n: 8 })
    queue.pushFirst({ workspaceId: asWorkspaceId('a'), priority: 'marketing', n: 9 })
    expect(taken(queue, 5)).toEqual(['b0', 'a8', 'a9', 'a0', 'a1'])
  })

  test('too many of one workspace and class are refused, and nothing of another', () => {
    const queue = new FairQueue<Item>({ maxOfOne: 2, max: 100 })
    const [one, two, three] = items(asWorkspaceId('a'), 3)
    expect([one, two, three].map((item) => item && queue.push(item))).toEqual([null, null, three])
    expect(items(asWorkspaceId('b'), 1).map((item) => queue.push(item))).toEqual([null])
    expect(items(asWorkspaceId('a'), 1, 'passcode').map((item) => queue.push(item))).toEqual([null])
  })

  test('where all together are too many, the longest backlog makes room for another workspace', () => {
    const queue = new FairQueue<Item>({ maxOfOne: 100, max: 4 })
    for (const item of items(asWorkspaceId('a'), 4)) queue.push(item)
    const [other] = items(asWorkspaceId('b'), 1)
    expect(other && queue.push(other)).toMatchObject({ workspaceId: 'a', n: 3 })
    const [more] = items(asWorkspaceId('a'), 1)
    expect(more && queue.push(more)).toBe(more)
    expect(taken(queue, 9)).toEqual(['a0', 'b0', 'a1', 'a2'])
  })

  test('whatever comes, each goes once, and none of a workspace waits while another of its class goes twice', () => {
    const item = fc.record({ workspaceId: fc.constantFrom('a', 'b', 'c').map(asWorkspaceId), priority: fc.constantFrom(...PRIORITIES) })
    fc.assert(
      fc.property(fc.array(fc.option(item, { freq: 3 }), { maxLength: 120 }), (steps) => {
        const queue = new FairQueue<Item>()
        const waiting = new Set<Item>()
        let passes = 0
        const passedBy = new Map<Item, Set<Item>>()
        for (const [n, step] of steps.entries()) {
          if (step !== null) {
            const pushed = { ...step, n }
            queue.push(pushed)
            waiting.add(pushed)
            continue
          }
          const waits = (priority: Priority): readonly Item[] => [...waiting].filter((one) => one.priority === priority)
          const sends = new Set(waits('transactional').map(({ workspaceId }) => workspaceId))
          const isDue = passes >= PASSES && waits('marketing').some(({ workspaceId }) => !sends.has(workspaceId))
          const first = PRIORITIES.find((priority) => waits(priority).length > 0)
          const next = queue.take()
          expect(next?.priority).toBe(isDue && first !== 'passcode' ? 'marketing' : first)
          if (next === undefined) continue
          expect(waiting.delete(next)).toBe(true)
          if (next.priority === 'marketing' || waits('marketing').length === 0) passes = 0
          else if (next.priority === 'transactional') passes++
          // Two of one workspace pass only where it has nothing of another that waited before them.
          for (const one of waiting) {
            const passed = passedBy.get(one) ?? new Set()
            passedBy.set(one, passed.add(next))
            const twice = [...passed].filter(({ workspaceId, priority }) => workspaceId === next.workspaceId && priority === one.priority)
            const isFirst = ![...waiting].some(
              (other) => other.n < one.n && other.workspaceId === one.workspaceId && other.priority === one.priority,
            )
            if (isFirst && next.priority === one.priority && next.workspaceId !== one.workspaceId)
              expect(twice.filter(({ n }) => n > one.n).length).toBeLessThanOrEqual(1)
          }
        }
        expect(queue.size).toBe(waiting.size)
      }),
    )
  })
})
