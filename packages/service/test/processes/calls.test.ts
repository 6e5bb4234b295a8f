import { expect, it } from 'vitest'
import { type Answers, type Channel, createCalls } from '../../src/processes/calls.ts'

/** Two ends of one channel, over which only plain data travels. */
const twoEnds = (one: Answers, other: Answers) => {
  const listeners: ((message: unknown) => void)[][] = [[], []]
  const end = (own: number): Channel => ({
    send: (message) => {
      const copy: unknown = JSON.parse(JSON.stringify(message))
      queueMicrotask(() => listeners[1 - own]?.forEach((listener) => void listener(copy)))
    },
    onMessage: (listener) => void listeners[own]?.push(listener),
  })
  return [createCalls(end(0), one, 60_000), createCalls(end(1), other, 60_000)] as const
}

it('each side is answered what it asked, also when both ask at once and answers overtake each other', async () => {
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const [one, other] = twoEnds({ name: async () => 'one' }, { name: async () => 'other', late: () => late })
  const waiting = one.call('late')
  expect(await Promise.all([one.call('name'), other.call('name')])).toEqual(['other', 'one'])
  resolve('at last')
  expect(await waiting).toBe('at last')
})

it('a failure of the other side is thrown with its sentence', async () => {
  const fail = async () => {
    throw new Error('the database is away')
  }
  const [one] = twoEnds({}, { fail })
  await expect(one.call('fail')).rejects.toThrow('the database is away')
})
