import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Priority } from '../../src/port.ts'
import { SendThrottle } from '../../src/throttle/send-throttle.ts'
import { Throttled } from '../../src/throttle/throttled.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000
const LATENCY_MS = 300
const never = new AbortController().signal
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The same numbers between 0 and 1 in every run (mulberry32). */
function drawn(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Sender = Readonly<{ workspaceId: WorkspaceId; priority?: Priority; isBad?: () => boolean }>
type Counted = { taken: number; failed: number; slowest: number }

/** A provider that answers after a while, and takes what `takes` allows from all that is no bad number. */
function provider(takes: (workspaceId: WorkspaceId) => boolean = () => true) {
  const throttle = new SendThrottle()
  const ends = { isOver: false }
  const counts = { refused: 0 }
  const sendOne = async ({ workspaceId, priority = 'marketing' }: Sender, n: number, isBad: boolean): Promise<void> => {
    const message = { workspaceId, to: `${workspaceId} ${n}`, route: `${workspaceId} ${n % 5}` }
    await throttle.send(message, { signal: never, priority, fence: () => undefined }, async ({ fence, handedOver }) => {
      await fence()
      handedOver?.()
      await sleep(LATENCY_MS)
      if (!isBad && takes(workspaceId)) return
      counts.refused++
      throw new Throttled('full', { response: 'ESME_RMSGQFUL', about: 'recipient' })
    })
  }
  const counted = (): Counted => ({ taken: 0, failed: 0, slowest: 0 })
  const sendAndCount = async (sender: Sender, count: Counted, n: number): Promise<void> => {
    const begun = performance.now()
    try {
      await sendOne(sender, n, sender.isBad?.() ?? false)
      count.taken++
      count.slowest = Math.max(count.slowest, performance.now() - begun)
    } catch {
      count.failed++
    }
  }
  /** Slots of a worker, each of which begins with the next message when it is through with one. */
  const campaign = (sender: Sender, slots = 64): Counted => {
    const count = counted()
    let n = 0
    const slot = async () => {
      while (!ends.isOver) await sendAndCount(sender, count, n++)
    }
    for (let one = 0; one < slots; one++) void slot()
    return count
  }
  const each = (sender: Sender, everyMs: number): Counted => {
    const count = counted()
    const run = async () => {
      for (let n = 0; !ends.isOver; n++) {
        void sendAndCount(sender, count, n)
        await sleep(everyMs)
      }
    }
    void run()
    return count
  }
  const run = async (seconds: number): Promise<void> => vi.advanceTimersByTimeAsync(seconds * SECOND).then(() => undefined)
  const end = async (): Promise<void> => {
    ends.isOver = true
    await run(60)
  }
  return { campaign, each, run, end, counts }
}

async function beside(share: number, seed: number) {
  const random = drawn(seed)
  const { campaign, each, run, end } = provider()
  const own = campaign({ workspaceId: asWorkspaceId('a'), isBad: () => random() < share })
  const neighbour = campaign({ workspaceId: asWorkspaceId('b') })
  const codes = each({ workspaceId: asWorkspaceId('c'), priority: 'passcode' }, 50)
  await run(40)
  const [ownTaken, neighbourTaken] = [own.taken, neighbour.taken]
  await end()
  return { own: ownTaken, neighbour: neighbourTaken, codes }
}

describe('recipients that are refused for ever, as phones with a full queue', () => {
  test.each([0.002, 0.01, 0.1, 0.3].flatMap((share) => [1, 2, 3].map((seed) => [share, seed] as const)))(
    'a share of %d of a campaign slows down no other, and the campaign by little (%i)',
    async (share, seed) => {
      const without = await beside(0, seed)
      const { own, neighbour, codes } = await beside(share, seed)
      expect(neighbour).toBeGreaterThanOrEqual(0.9 * without.neighbour)
      expect(own).toBeGreaterThanOrEqual(0.8 * (1 - share) * without.own)
      expect([codes.failed, codes.slowest, codes.taken >= 800]).toEqual([0, LATENCY_MS, true])
    },
  )

  test('beside a limit of the account: the limit is used, and passcodes are not lost', async () => {
    const random = drawn(7)
    const { campaign, each, run, end } = provider(perSecond(100))
    const own = campaign({ workspaceId: asWorkspaceId('a'), isBad: () => random() < 0.01 })
    const neighbour = campaign({ workspaceId: asWorkspaceId('b') })
    const codes = each({ workspaceId: asWorkspaceId('c'), priority: 'passcode' }, 500)
    await run(60)
    expect(own.taken + neighbour.taken + codes.taken).toBeGreaterThan(0.7 * 100 * 60)
    await end()
    expect(codes.failed).toBe(0)
    expect(codes.slowest).toBeLessThan(10 * SECOND)
  })
})

describe('a server that takes so many a second of all, and says of each recipient that it is too many', () => {
  test.each([
    [14, 1],
    [14, 2],
    [100, 1],
    [100, 2],
    [150, 2],
  ])('%i a second, %i workspaces: is used, few are refused, and hardly any message fails', async (limit, workspaces) => {
    const { campaign, run, counts } = provider(perSecond(limit))
    const all = ['a', 'b'].slice(0, workspaces).map((name) => campaign({ workspaceId: asWorkspaceId(name) }))
    await run(20)
    const [takenBefore, refusedBefore] = [sum(all, 'taken'), counts.refused]
    await run(60)
    expect(sum(all, 'taken') - takenBefore).toBeGreaterThanOrEqual(0.85 * limit * 60)
    expect(counts.refused - refusedBefore).toBeLessThan(0.1 * limit * 60)
    expect(refusedBefore).toBeLessThan(64 * workspaces * 3 + limit)
    expect(sum(all, 'failed')).toBeLessThan(0.02 * sum(all, 'taken'))
  })

  test('for one workspace alone: the others are left alone', async () => {
    const limit = perSecond(20)
    const { campaign, each, run } = provider((workspaceId) => workspaceId !== 'a' || limit())
    const own = campaign({ workspaceId: asWorkspaceId('a') })
    const neighbour = campaign({ workspaceId: asWorkspaceId('b') }, 8)
    const codes = each({ workspaceId: asWorkspaceId('c'), priority: 'passcode' }, 100)
    await run(30)
    expect(own.taken).toBeGreaterThan(0.5 * 20 * 30)
    expect([codes.slowest, neighbour.slowest]).toEqual([LATENCY_MS, LATENCY_MS])
  })

  test('that takes nothing for a while and then all again, is not hammered, and gets all of it within seconds', async () => {
    let isOver = false
    const { campaign, run, counts } = provider(() => isOver)
    const all = [campaign({ workspaceId: asWorkspaceId('a') }), campaign({ workspaceId: asWorkspaceId('b') })]
    await run(60)
    const refused = counts.refused
    await run(60)
    expect(counts.refused - refused).toBeLessThan(60)
    isOver = true
    await run(20)
    const before = sum(all, 'taken')
    await run(10)
    expect(sum(all, 'taken') - before).toBeGreaterThan(0.9 * 10 * 128 * (SECOND / LATENCY_MS))
  })
})

/** Takes so many evenly over a second, and a fifth of a second's worth at once. */
function perSecond(limit: number): () => boolean {
  let [left, at] = [limit / 5, performance.now()]
  return () => {
    const now = performance.now()
    left = Math.min(limit / 5, left + ((now - at) * limit) / SECOND)
    at = now
    if (left < 1) return false
    left--
    return true
  }
}

const sum = (counts: readonly Counted[], what: keyof Counted): number => counts.reduce((all, count) => all + count[what], 0)
