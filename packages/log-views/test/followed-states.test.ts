import { type EventLog, ForeignEvent, type Recorded } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFollowedStates, type FollowedStates } from '../src/followed-states.ts'

// A read stalls after some seconds, in which this process may stand still.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

type Counted = Readonly<{ type: 'Counted'; data: { by: number } }>
type Sum = Readonly<{ sum: number }>

const event = (revision: number, by: number, workspaceId = asWorkspaceId('w')): Recorded<Counted> => ({
  type: 'Counted',
  data: { by },
  id: `${revision}`,
  stream: 's',
  revision,
  position: { commit: BigInt(revision), prepare: 0n },
  created: '',
  meta: { workspaceId, actor: '', requestId: '', schemaVersion: 1, at: '' },
  erased: false,
})

/** A stream that is read from `stored`; events are followed when the test says them. */
function stage(stored: Recorded<Counted>[]) {
  const world = { reads: 0, isCaughtUp: true, followed: true, position: -1n, beforeAnswer: async () => undefined as unknown }
  const follower = {
    isCaughtUp: () => world.isCaughtUp,
    since: () => (world.followed ? { commit: -1n, prepare: 0n } : null),
    position: () => ({ commit: world.position, prepare: 0n }),
    hasPassed: async ({ commit }: Readonly<{ commit: bigint }>) => world.position >= commit,
  }
  const readStream = async (workspaceId: WorkspaceId) => {
    world.reads++
    if (stored.some(({ meta }) => meta.workspaceId !== workspaceId)) throw new ForeignEvent('s')
    const seen = [...stored]
    await world.beforeAnswer()
    return seen
  }
  const log = { readStream } as Partial<EventLog> as EventLog
  const states: FollowedStates<Sum, Counted> = createFollowedStates<Counted, Sum>({
    log,
    types: ['Counted'],
    initial: { sum: 0 },
    evolve: ({ sum }, { data }) => ({ sum: sum + data.by }),
    max: 10,
  })
  states.attach?.(follower)
  const store = (said: Recorded<Counted>) => stored.push(said)
  const say = (said: Recorded<Counted>) => {
    store(said)
    states.apply(said)
  }
  /** The next read sees the stream as it is when it begins, and answers when the test opens it. */
  const holdNextRead = () => {
    const gate = Promise.withResolvers<void>()
    world.beforeAnswer = () => {
      world.beforeAnswer = async () => undefined
      return gate.promise
    }
    return gate
  }
  return { world, states, store, say, holdNextRead }
}

const nextTick = () => new Promise(setImmediate)

test('a stream followed from its first event on is never read', async () => {
  const { world, states, say } = stage([])
  say(event(0, 1))
  say(event(1, 2))
  expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 3 })
  expect(world.reads).toBe(0)
})

test('a stream read once is kept up to date by what is followed', async () => {
  const { world, states, say } = stage([event(0, 1)])
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 1 })
  say(event(1, 5))
  expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
  expect(world.reads).toBe(1)
})

test('a missing revision is noticed, and the stream read again', async () => {
  const { world, states, say } = stage([event(0, 1)])
  await states.get(asWorkspaceId('w'), 's')
  say(event(2, 5))
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
  expect(world.reads).toBe(2)
})

test('an event followed while the stream is read is not lost', async () => {
  const { world, states, say } = stage([event(0, 1)])
  world.beforeAnswer = async () => say(event(1, 5))
  await states.get(asWorkspaceId('w'), 's')
  world.beforeAnswer = async () => undefined
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
})

test('who asks while an event is followed that the read does not have gets the state with it', async () => {
  const { world, states, say, holdNextRead } = stage([event(0, 1)])
  const slow = holdNextRead()
  const asked = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  say(event(1, 5))
  slow.resolve()
  expect(await asked).toEqual({ sum: 6 })
  expect(world.reads).toBe(2)
})

test('a stream that gets an event during every read is read three times for one question', async () => {
  const { world, states, say } = stage([event(0, 1)])
  let revision = 1
  world.beforeAnswer = async () => say(event(revision++, 1))
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 3 })
  expect(world.reads).toBe(3)
})

test('a stream that is too long to be folded is read as the caller says, and followed from there', async () => {
  const reads: string[] = []
  const read = async (workspaceId: WorkspaceId, stream: string) => {
    reads.push(`${workspaceId} ${stream}`)
    return { state: { sum: 100 }, revision: 41 }
  }
  const states = createFollowedStates<Counted, Sum>({
    log: { read },
    types: ['Counted'],
    initial: { sum: 0 },
    evolve: ({ sum }, { data }) => ({ sum: sum + data.by }),
    max: 10,
  })
  const place = { commit: 0n, prepare: 0n }
  states.attach?.({ isCaughtUp: () => true, since: () => place, position: () => place, hasPassed: async () => true })
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 100 })
  for (const revision of [41, 42]) states.apply(event(revision, 1))
  expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 101 })
  expect(reads).toEqual(['w s'])
})

describe('a stream that its caller reads for its events', () => {
  test('is known then, and followed', async () => {
    const { world, states, say } = stage([])
    const read = async () => [event(0, 1), event(1, 2)]
    expect(await states.readBy(asWorkspaceId('w'), 's', read)).toEqual({ sum: 3 })
    expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 3 })
    say(event(2, 5))
    expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 8 })
    expect(world.reads).toBe(0)
  })

  test('is read again where an event is followed that the read does not have', async () => {
    const { states, say } = stage([])
    const seen: Recorded<Counted>[] = [event(0, 1)]
    const gate = Promise.withResolvers<void>()
    const asked = states.readBy(asWorkspaceId('w'), 's', async () => {
      const now = [...seen]
      await gate.promise
      return now
    })
    await nextTick()
    seen.push(event(1, 5))
    say(event(1, 5))
    gate.resolve()
    expect(await asked).toEqual({ sum: 6 })
    expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
  })

  test('is not taken back where more is known already', async () => {
    const { states, say } = stage([])
    for (const revision of [0, 1]) say(event(revision, 1))
    expect(await states.readBy(asWorkspaceId('w'), 's', async () => [event(0, 1)])).toEqual({ sum: 2 })
    expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 2 })
  })
})

test('a known state is not used while the follower is not caught up', async () => {
  const { world, states, say } = stage([])
  say(event(0, 1))
  world.isCaughtUp = false
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 1 })
  expect(world.reads).toBe(1)
})

test('a stream with an event of another workspace is refused', async () => {
  const { states } = stage([event(0, 1, asWorkspaceId('other'))])
  await expect(states.get(asWorkspaceId('w'), 's')).rejects.toThrow('another workspace')
})

test('an event of another workspace that is followed is refused as well', async () => {
  const { states, say } = stage([])
  say(event(0, 1))
  say(event(1, 5, asWorkspaceId('other')))
  await expect(states.get(asWorkspaceId('w'), 's')).rejects.toThrow('another workspace')
  await expect(states.get(asWorkspaceId('other'), 's')).rejects.toThrow('another workspace')
})

test('a stream of another workspace that is known is refused', async () => {
  const { states, say } = stage([])
  say(event(0, 1, asWorkspaceId('other')))
  await expect(states.get(asWorkspaceId('w'), 's')).rejects.toThrow('another workspace')
})

test('workspaces that ask for one stream at once share no read of it', async () => {
  const { states } = stage([event(0, 1)])
  const [first, second, foreign] = await Promise.allSettled(
    ['w', 'w', 'other'].map((workspaceId) => states.readNow(asWorkspaceId(workspaceId), 's')),
  )
  expect([first?.status, second?.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(foreign).toMatchObject({ status: 'rejected', reason: expect.any(ForeignEvent) })
})

test('an older read that finishes last does not take the stream back in time', async () => {
  const { world, states, store, holdNextRead } = stage([event(0, 1)])
  const slow = holdNextRead()
  const first = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  store(event(1, 5))
  const newer = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  slow.resolve()
  expect(await first).toEqual({ sum: 1 })
  expect(await newer).toEqual({ sum: 6 })
  expect(states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
  expect(world.reads).toBe(2)
})

test('an event followed during the first of two reads is not lost by the second', async () => {
  const { states, say, holdNextRead } = stage([event(0, 1)])
  const slow = holdNextRead()
  const first = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  say(event(1, 5))
  const second = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  slow.resolve()
  await Promise.all([first, second])
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
})

test('one stream is read once at a time, and all who ask meanwhile share the read after it', async () => {
  const { world, states, store, holdNextRead } = stage([event(0, 1)])
  const slow = holdNextRead()
  const first = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  store(event(1, 5))
  const others = [states.get(asWorkspaceId('w'), 's'), states.get(asWorkspaceId('w'), 's'), states.get(asWorkspaceId('w'), 's')]
  await nextTick()
  expect(world.reads).toBe(1)
  slow.resolve()
  expect(await Promise.all([first, ...others])).toEqual([{ sum: 1 }, { sum: 6 }, { sum: 6 }, { sum: 6 }])
  expect(world.reads).toBe(2)
})

test('a read that fails fails for those who asked for it, and the next goes on', async () => {
  const { world, states, holdNextRead } = stage([event(0, 1)])
  const slow = holdNextRead()
  const first = Promise.allSettled([states.get(asWorkspaceId('w'), 's')])
  await nextTick()
  const next = states.get(asWorkspaceId('w'), 's')
  slow.reject(new Error('the log is away'))
  expect(await first).toMatchObject([{ reason: { message: 'the log is away' } }])
  expect(await next).toEqual({ sum: 1 })
  expect(world.reads).toBe(2)
})

test('a stream read before the log is followed is not cached: an event in between would never be noticed', async () => {
  const { world, states, store } = stage([event(0, 1)])
  world.followed = false
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 1 })
  store(event(1, 5))
  world.followed = true
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 6 })
})

test('the state as of a position is read where the follower is behind it', async () => {
  const { world, states, store, say } = stage([event(0, 1)])
  await states.get(asWorkspaceId('w'), 's')
  store(event(1, 5))
  world.position = 0n
  expect(await states.getAt(asWorkspaceId('w'), 's', { commit: 1n, prepare: 0n })).toEqual({ sum: 6 })
  say(event(2, 1))
  world.position = 2n
  expect(await states.getAt(asWorkspaceId('w'), 's', { commit: 2n, prepare: 0n })).toEqual({ sum: 7 })
  expect(world.reads).toBe(2)
})

test('a read that stalls does not delay the next one, and changes nothing when it ends', async () => {
  const { world, states, store, say, holdNextRead } = stage([event(0, 1)])
  const stalled = holdNextRead()
  const first = states.get(asWorkspaceId('w'), 's')
  await nextTick()
  store(event(1, 5))
  const next = states.get(asWorkspaceId('w'), 's')
  const another = states.get(asWorkspaceId('w'), 's')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await Promise.all([next, another])).toEqual([{ sum: 6 }, { sum: 6 }])
  expect(world.reads).toBe(2)
  // A gap: the entry goes, and only the stalled read is left.
  say(event(3, 1))
  stalled.resolve()
  expect(await first).toEqual({ sum: 1 })
  store(event(2, 1))
  expect(await states.get(asWorkspaceId('w'), 's')).toEqual({ sum: 8 })
})
