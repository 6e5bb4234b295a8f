import { setImmediate } from 'node:timers/promises'
import { createEventLog, type EventLog, ForeignEvent, memoryKeyRing } from '@tidings/codec'
import type { Command, Decider, Event } from '@tidings/domain'
import { InvalidAppend, Unavailable } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import type { Execution } from '../src/execution.ts'
import { contextOf } from './testing/context-of.ts'
import { type ModelLog, modelLog } from './testing/model-log.ts'

type Note = Command<'Note', { text: unknown }>
type Noted = Event<'Noted', { text: unknown }>
type Notes = readonly unknown[]

/** Hot, with a decider that checks nothing. */
const notes: Decider<Note, Noted, Notes> = {
  decide: ({ data }) => {
    if (data.text === 'undecidable') throw new TypeError('a defect of the decider')
    return [{ type: 'Noted', data }]
  },
  evolve: (state, { data }) => {
    if (data.text === 'unfoldable') throw new TypeError('a defect of the fold')
    return [...state, data.text]
  },
  initialState: [],
  hot: true,
}

const stream = 'notes-w'
const note = (text: unknown, word: string): Execution<Note, Noted, Notes> => ({
  decider: notes,
  stream,
  command: { type: 'Note', data: { text } },
  context: contextOf(word),
})

const slow = (model: ModelLog) => model.through(async (_, act) => setImmediate().then(act))
const textsIn = (model: ModelLog) => model.events<Noted>(stream).map(({ data }) => data.text)

/** The first command runs alone; the others wait for it and make one batch. */
const inOneBatch = (log: EventLog, texts: readonly unknown[]) => {
  const { execute } = createCommandRunner({ log })
  return Promise.allSettled(['first', ...texts].map((text, n) => execute(note(text, `n${n}`))))
}
const statusesOf = (answers: readonly PromiseSettledResult<unknown>[]) => answers.map(({ status }) => status === 'fulfilled')

/** A log that says something else to appends; `appends` are the ones it was asked for. */
const saying = (model: ModelLog, say: (events: readonly Noted[], nth: number) => Error | null) => {
  const log = slow(model)
  const appends: (readonly unknown[])[] = []
  const append: EventLog['append'] = async (to, expected, events, context) => {
    const noted = events as readonly Noted[]
    appends.push(noted.map(({ data }) => data.text))
    const error = say(noted, appends.length)
    if (error !== null) throw error
    return log.append(to, expected, events, context)
  }
  return { appends, log: { ...log, append } }
}

describe('one bad command', () => {
  it.each(['undecidable', 'unfoldable'])('that is %s fails alone', async (bad) => {
    const model = modelLog()
    const answers = await inOneBatch(slow(model), ['a', bad, 'b'])
    expect(statusesOf(answers)).toEqual([true, true, false, true])
    expect(answers[2]).toMatchObject({ reason: expect.any(TypeError) })
    expect(textsIn(model)).toEqual(['first', 'a', 'b'])
  })

  it('whose event the log refuses fails alone, and costs no append for each of the others', async () => {
    const model = modelLog()
    const { appends, log } = saying(model, (events) =>
      events.some(({ data }) => data.text === 'refused') ? new InvalidAppend('no adapter may take it') : null,
    )
    const before = Array.from({ length: 20 }, (_, n) => `before ${n}`)
    const after = Array.from({ length: 20 }, (_, n) => `after ${n}`)
    const answers = await inOneBatch(log, [...before, 'refused', ...after])
    expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: expect.any(InvalidAppend) }])
    expect(answers[21]).toMatchObject({ status: 'rejected' })
    expect(textsIn(model)).toEqual(['first', ...before, ...after])
    expect(appends.length).toBeLessThanOrEqual(2 + 2 * Math.ceil(Math.log2(41)))
  })

  it.each([
    ['has a string that no store can hold', 'NUL \0'],
    ['has no JSON', 1n],
    ['is too large', 'x'.repeat(1024 * 1024)],
  ])('whose event %s fails alone on a real log', async (_what, bad) => {
    const declarations = { Noted: { version: 1 } }
    const log = createEventLog({ store: memoryEventStore(), declarations, upcasters: [], keyRing: memoryKeyRing() })
    const answers = await inOneBatch(log, ['a', bad, 'b'])
    expect(statusesOf(answers)).toEqual([true, true, false, true])
    expect((await log.readStream<Noted>(contextOf('c').workspaceId, stream)).map(({ data }) => data.text)).toEqual(['first', 'a', 'b'])
    await log.close()
  })
})

describe('good commands', () => {
  it('that are too large together are written in several appends', async () => {
    const model = modelLog()
    const { appends, log } = saying(model, (events) => (events.length > 3 ? new InvalidAppend('over the limit') : null))
    const answers = await inOneBatch(log, ['a', 'b', 'c', 'd', 'e'])
    expect(new Set(statusesOf(answers))).toEqual(new Set([true]))
    expect(textsIn(model)).toEqual(['first', 'a', 'b', 'c', 'd', 'e'])
    expect(appends.slice(2).flat()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})

describe('an outage', () => {
  it('rejects all that wait at once, after one append', async () => {
    const { appends, log } = saying(modelLog(), (_, nth) => (nth === 1 ? null : new Unavailable('the store is away')))
    const answers = await inOneBatch(log, ['a', 'b', 'c', 'd'])
    expect(statusesOf(answers)).toEqual([true, false, false, false, false])
    expect(appends).toHaveLength(2)
  })

  it('that begins while commands are repeated one by one is not asked about for each of them', async () => {
    const model = modelLog()
    const old = createCommandRunner({ log: model.log })
    await old.execute(note('old', 'n2'))
    for (let n = 0; n < 40; n++) await old.execute(note(`between ${n}`, `between ${n}`))
    const before = textsIn(model).length
    const { appends, log } = saying(model, (events) => (events.length > 1 || events[0]?.data.text === 'first' ? null : new Unavailable('')))
    const answers = await inOneBatch(log, ['a', 'old', 'b', 'c'])
    expect(statusesOf(answers)).toEqual([true, false, false, false, false])
    expect(appends.slice(1)).toEqual([['a', 'old', 'b', 'c'], ['a']])
    expect(textsIn(model)).toHaveLength(before + 1)
  })

  it('that begins between two halves is not asked about by the second', async () => {
    const { appends, log } = saying(modelLog(), (events, nth) => {
      if (nth === 1) return null
      return events.length > 2 ? new InvalidAppend('over the limit') : new Unavailable('the store is away')
    })
    const answers = await inOneBatch(log, ['a', 'b', 'c', 'd'])
    expect(answers.slice(1)).toEqual(Array.from({ length: 4 }, () => ({ status: 'rejected', reason: expect.any(Unavailable) })))
    expect(appends.slice(1)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b'],
    ])
  })

  it('rejects at once all that wait for a stream that is not hot', async () => {
    const { hot: _hot, ...cold } = notes
    const { appends, log } = saying(modelLog(), () => new Unavailable('the store is away'))
    const { execute } = createCommandRunner({ log })
    const run = () => Promise.allSettled(Array.from({ length: 10 }, (_, n) => execute({ ...note('a', `n${n}`), decider: cold })))
    expect((await run()).every(({ status }) => status === 'rejected')).toBe(true)
    expect(appends).toHaveLength(1)
    await run()
    expect(appends).toHaveLength(2)
  })

  it('of reads is no reason to ask again for each command', async () => {
    const model = modelLog()
    let reads = 0
    const { log } = saying(model, () => new Unavailable('the store is away'))
    const readStream: EventLog['readStream'] = async () => {
      reads++
      await setImmediate()
      throw new ForeignEvent(stream)
    }
    const answers = await inOneBatch({ ...log, readStream }, ['a', 'b', 'c', 'd'])
    expect(new Set(statusesOf(answers))).toEqual(new Set([false]))
    expect(reads).toBe(2)
  })
})
