import type { EventLog, Recorded } from '@tidings/codec'
import type { LogFollower, LogListener } from '@tidings/commands'
import { expect, test } from 'vitest'
import { type FollowedStates, followedStates } from './followed-states.ts'

type Counted = Readonly<{ type: 'Counted'; data: { by: number } }>
type Sum = Readonly<{ sum: number }>

const event = (revision: number, by: number, workspaceId = 'w'): Recorded<Counted> => ({
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

/** A stream that is read from `stored`, followed by what the test says aloud. */
function stage(stored: Recorded<Counted>[]) {
  const listeners: LogListener[] = []
  const world = { reads: 0, fresh: true, beforeAnswer: async () => undefined as unknown }
  const follower = {
    listen: (listener: LogListener) => listeners.push(listener),
    isFresh: () => world.fresh,
  } as Partial<LogFollower> as LogFollower
  const readStream = async () => {
    world.reads++
    const seen = [...stored]
    await world.beforeAnswer()
    return seen
  }
  const log = { readStream } as Partial<EventLog> as EventLog
  const states: FollowedStates<Sum> = followedStates<Counted, Sum>({
    log,
    follower,
    types: ['Counted'],
    initial: { sum: 0 },
    evolve: ({ sum }, { data }) => ({ sum: sum + data.by }),
    max: 10,
  })
  const say = (said: Recorded<Counted>) => {
    stored.push(said)
    for (const listener of listeners) listener.heard(said)
  }
  return { world, states, say }
}

test('a stream heard from its first event on is never read', async () => {
  const { world, states, say } = stage([])
  say(event(0, 1))
  say(event(1, 2))
  expect(states.get('w', 's')).toEqual({ sum: 3 })
  expect(world.reads).toBe(0)
})

test('a stream read once is kept true by what is heard', async () => {
  const { world, states, say } = stage([event(0, 1)])
  expect(await states.get('w', 's')).toEqual({ sum: 1 })
  say(event(1, 5))
  expect(states.get('w', 's')).toEqual({ sum: 6 })
  expect(world.reads).toBe(1)
})

test('a missing revision is noticed, and the stream read again', async () => {
  const { world, states, say } = stage([event(0, 1)])
  await states.get('w', 's')
  say(event(2, 5))
  expect(await states.get('w', 's')).toEqual({ sum: 6 })
  expect(world.reads).toBe(2)
})

test('an event heard while the stream is read is not lost', async () => {
  const { world, states, say } = stage([event(0, 1)])
  world.beforeAnswer = async () => say(event(1, 5))
  await states.get('w', 's')
  world.beforeAnswer = async () => undefined
  expect(await states.get('w', 's')).toEqual({ sum: 6 })
})

test('what is known is not believed while the log is silent', async () => {
  const { world, states, say } = stage([])
  say(event(0, 1))
  world.fresh = false
  expect(await states.get('w', 's')).toEqual({ sum: 1 })
  expect(world.reads).toBe(1)
})

test('a stream with an event of another workspace is refused', async () => {
  const { states } = stage([event(0, 1, 'other')])
  await expect(states.get('w', 's')).rejects.toThrow('another workspace')
})
