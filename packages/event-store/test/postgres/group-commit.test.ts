import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Group, Verdict } from '../../src/postgres/append-call.ts'
import { GroupCommit, type GroupCommitOptions } from '../../src/postgres/group-commit.ts'

const appendTo = (...streams: readonly string[]): Group =>
  streams.map((stream) => ({ stream, expected: 'any', events: [{ id: randomUUID(), type: 'A', data: '', meta: '' }] }))

const streamsOf = (groups: readonly Group[]): string[] => groups.map((group) => group.map(({ stream }) => stream).join('+'))

const appended: Verdict = { outcome: 'appended', revision: 0, position: 1n, createdMs: 0 }

/** A log that answers each call by `answer`, and remembers the streams of every call. */
const commits = (
  answer: (call: number, groups: readonly Group[]) => readonly (readonly Verdict[])[],
  change: Partial<GroupCommitOptions> = {},
) => {
  const calls: string[][] = []
  const unknownErrors: unknown[] = []
  const group = new GroupCommit({
    send: async (groups) => {
      calls.push(streamsOf(groups))
      await new Promise(setImmediate)
      return answer(calls.length, groups)
    },
    isRefusal: (error) => error instanceof RangeError,
    isFinal: () => false,
    onCommitted: () => undefined,
    onUnknown: (error) => unknownErrors.push(error),
    deadlineMs: 3_600_000,
    maxQueued: 100,
    ...change,
  })
  return { group, calls, unknownErrors }
}

const allAppended = (_: number, groups: readonly Group[]) => groups.map((group) => group.map(() => appended))

describe('group commit', () => {
  test('what is issued together goes out together, and what arrives meanwhile goes next', async () => {
    const { group, calls } = commits(allAppended)
    const first = ['a', 'b', 'c'].map((stream) => group.append(appendTo(stream), 1))
    await new Promise(setImmediate)
    const second = ['d', 'e'].map((stream) => group.append(appendTo(stream), 1))
    await Promise.all([...first, ...second])
    expect(calls).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
    expect(group.busy).toBe(false)
  })

  test('one stream has one append a batch, in the order of the calls', async () => {
    const { group, calls } = commits(allAppended)
    await Promise.all(['a', 'a', 'b', 'a'].map((stream) => group.append(appendTo(stream), 1)))
    expect(calls).toEqual([['a', 'b'], ['a'], ['a']])
  })

  test('a group goes when all of its streams are free, and delays only who shares one', async () => {
    const { group, calls } = commits(allAppended)
    await Promise.all([['a', 'b'], ['b', 'c'], ['c'], ['d'], ['a']].map((streams) => group.append(appendTo(...streams), 1)))
    expect(calls).toEqual([['a+b', 'd'], ['a', 'b+c'], ['c']])
    expect(group.busy).toBe(false)
  })

  test('a batch with unknown outcome goes out again, unchanged', async () => {
    const { group, calls, unknownErrors } = commits((call, groups) => {
      if (call < 3) throw new Error('connection lost')
      return allAppended(call, groups)
    })
    await Promise.all(['a', 'b'].map((stream) => group.append(appendTo(stream), 1)))
    expect(calls).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect(unknownErrors).toHaveLength(2)
  })

  test('at its deadline an append is unavailable, and says that it may have been stored', async () => {
    const lost = () => {
      throw new Error('connection lost')
    }
    const { group } = commits(lost, { deadlineMs: 0 })
    const settled = await Promise.allSettled(['a', 'a', 'b'].map((stream) => group.append(appendTo(stream), 1)))
    expect(settled.map((result) => result.status === 'rejected' && result.reason)).toMatchObject(
      [1, 2, 3].map(() => ({
        name: 'Unavailable',
        retryable: true,
        message: expect.stringContaining('may have been stored (connection lost)'),
      })),
    )
    expect(group.busy).toBe(false)
  })

  test('at their deadline the appends behind a batch, and behind others of their streams, are unavailable too', async () => {
    const lost = () => {
      throw new Error('connection lost')
    }
    const { group } = commits(lost, { deadlineMs: 0, maxQueued: 1_000 })
    const streams = Array.from({ length: 900 }, (_, n) => `s-${n % 300}`)
    const settled = await Promise.allSettled(streams.map((stream) => group.append(appendTo(stream), 1)))
    expect(settled.every((result) => result.status === 'rejected' && result.reason.name === 'Unavailable')).toBe(true)
    expect(group.busy).toBe(false)
  })

  test('an append the database refuses fails alone', async () => {
    const { group } = commits((call, groups) => {
      if (streamsOf(groups).includes('bad')) throw new RangeError('no such character')
      return allAppended(call, groups)
    })
    const settled = await Promise.allSettled(['a', 'bad', 'b'].map((stream) => group.append(appendTo(stream), 1)))
    expect(settled.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(settled[1]).toMatchObject({ reason: { name: 'InvalidAppend', retryable: false } })
  })

  test('a full queue refuses at once, in one sentence', async () => {
    const { group } = commits(allAppended, { maxQueued: 2 })
    const taken = ['a', 'b'].map((stream) => group.append(appendTo(stream), 1))
    await expect(group.append(appendTo('c'), 1)).rejects.toThrow('2 appends are waiting for the event log already; try again shortly')
    await Promise.all(taken)
    expect(await group.append(appendTo('c'), 1)).toEqual([appended])
  })

  test('a queue full of bytes refuses too', async () => {
    const { group } = commits(allAppended)
    const taken = group.append(appendTo('a'), 65 * 1024 * 1024)
    await expect(group.append(appendTo('b'), 1)).rejects.toMatchObject({ name: 'Unavailable' })
    await taken
    expect(await group.append(appendTo('b'), 1)).toEqual([appended])
  })

  test('closing answers what waits and takes no more', async () => {
    const { group } = commits(allAppended)
    const waiting = [group.append(appendTo('a'), 1), group.append(appendTo('a'), 1)]
    await group.close()
    await expect(Promise.all(waiting)).resolves.toHaveLength(2)
    await expect(group.append(appendTo('b'), 1)).rejects.toMatchObject({ name: 'Unavailable' })
  })
})
