import { setImmediate } from 'node:timers/promises'
import { type Command, type Decider, type Event, Refused } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import type { Execution } from '../src/execution.ts'
import { contextOf } from './testing/context-of.ts'
import { type KnownIds, type ModelLog, modelLog } from './testing/model-log.ts'

type Write = Command<'Write', { record: string; text: string }>
type Written = Event<'Written', { record: string; text: string }>
type Records = Readonly<Record<string, string>>

/** Records that share a stream, as all flows of a workspace do. */
const recordsOf = (hot: boolean): Decider<Write, Written, Records> => ({
  decide: ({ data }, state) => {
    if (data.text === 'refused') throw new Refused('template_not_found')
    return state[data.record] === data.text ? [] : [{ type: 'Written', data }]
  },
  evolve: (state, { data }) => ({ ...state, [data.record]: data.text }),
  initialState: {},
  ...(hot && { hot }),
})

const stream = 'records-w'
const meanwhile = expect.objectContaining({ code: 'changed_meanwhile' })

type Edit = Readonly<{ record?: string; text: string; seen: string | undefined; word?: string }>

/** An editor saw `seen` of the record and wants it to be `text`. */
const editIn =
  (decider: Decider<Write, Written, Records>) =>
  ({ record = 'a', text, seen, word = `${record} ${text}` }: Edit): Execution<Write, Written, Records> => ({
    decider,
    stream,
    command: { type: 'Write', data: { record, text } },
    context: contextOf(word),
    expects: (state) => state[record] === seen,
  })

const slow = (model: ModelLog) => model.through(async (_, act) => setImmediate().then(act))
const texts = (model: ModelLog) => model.events<Written>(stream).map(({ data }) => `${data.record} ${data.text}`)

describe.each([
  { kind: 'alone', hot: false },
  { kind: 'together', hot: true },
])('commands decided $kind, with what they expect,', ({ hot }) => {
  const edit = editIn(recordsOf(hot))

  it('are carried out where the record is as it was seen, and refused where it is not', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: model.log })
    await execute(edit({ text: 'one', seen: undefined }))
    await expect(execute(edit({ text: 'two', seen: undefined }))).rejects.toEqual(meanwhile)
    await execute(edit({ text: 'three', seen: 'one' }))
    expect(texts(model)).toEqual(['a one', 'a three'])
  })

  it('are for one of two editors who save at once, in one process or in two', async () => {
    for (const processes of [1, 2]) {
      const model = modelLog()
      const runners = Array.from({ length: 2 }, () => createCommandRunner({ log: slow(model) }))
      await Promise.all(runners.map(({ load }) => load({ decider: recordsOf(hot), stream, workspaceId: contextOf('').workspaceId })))
      const answers = await Promise.allSettled(
        ['mine', 'yours'].map((text, n) => runners[n % processes]?.execute(edit({ text, seen: undefined }))),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: meanwhile })
      expect(texts(model)).toHaveLength(1)
    }
  })

  it('are not in the way of a change of another record of the stream', async () => {
    const model = modelLog()
    const runners = Array.from({ length: 2 }, () => createCommandRunner({ log: slow(model) }))
    const edits = ['a', 'b', 'c', 'd'].map((record) => edit({ record, text: 'new', seen: undefined }))
    await Promise.all(edits.map((one, n) => runners[n % 2]?.execute(one)))
    expect(texts(model).toSorted()).toEqual(['a new', 'b new', 'c new', 'd new'])
  })

  it('are read for before they are refused, because this process may be behind', async () => {
    const model = modelLog()
    const [mine, other] = [createCommandRunner({ log: model.log }), createCommandRunner({ log: model.log })]
    await mine.execute(edit({ text: 'one', seen: undefined }))
    await other.execute(edit({ text: 'two', seen: 'one' }))
    await mine.execute(edit({ text: 'three', seen: 'two' }))
    await expect(other.execute(edit({ text: 'four', seen: 'two' }))).rejects.toEqual(meanwhile)
    expect(texts(model)).toEqual(['a one', 'a two', 'a three'])
  })

  it('are refused too where nothing would change, and say what the decider says where the record is as it was seen', async () => {
    const { execute } = createCommandRunner({ log: modelLog().log })
    await execute(edit({ text: 'one', seen: undefined }))
    await expect(execute(edit({ text: 'one', seen: 'other', word: 'again' }))).rejects.toEqual(meanwhile)
    await expect(execute(edit({ text: 'refused', seen: 'one' }))).rejects.toMatchObject({ code: 'template_not_found' })
    expect(await execute(edit({ text: 'one', seen: 'one', word: 'same' }))).toMatchObject({ events: [], position: null })
  })

  it.each<KnownIds>(['refused', 'at their place'])('answer a repetition as done, however long ago it was (ids %s)', async (knownIds) => {
    const model = modelLog([], knownIds)
    const [first, other] = [createCommandRunner({ log: slow(model) }), createCommandRunner({ log: slow(model) })]
    const saved = edit({ text: 'one', seen: undefined, word: 'saved' })
    await first.execute(saved)
    for (let n = 0; n < 40; n++) await first.execute(edit({ record: 'b', text: `${n}`, seen: n === 0 ? undefined : `${n - 1}` }))
    for (const runner of [first, other, createCommandRunner({ log: slow(model) })]) {
      const answers = await Promise.all([
        runner.execute(saved),
        runner.execute(edit({ record: 'b', text: '39', seen: '39', word: 'none' })),
      ])
      expect(answers[0]).toMatchObject({ events: [], position: expect.anything(), state: { a: 'one' } })
    }
    expect(texts(model).filter((text) => text.startsWith('a'))).toEqual(['a one'])
  })

  it('are not drafted where they fail', () => {
    const { draft } = createCommandRunner({ log: modelLog().log })
    expect(draft(edit({ text: 'one', seen: 'other' }))).toBeNull()
    expect(draft(edit({ text: 'one', seen: undefined }))).not.toBeNull()
  })

  it('never lose a change: an editor who saves has seen what was saved before', async () => {
    const step = fc.record({ record: fc.constantFrom('a', 'b'), reads: fc.boolean() })
    const editor = fc.array(step, { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(fc.tuple(editor, editor, editor), async (editors) => {
        const model = modelLog()
        const lastOf = (record: string) => model.events<Written>(stream).findLast(({ data }) => data.record === record)?.data.text
        await Promise.all(
          editors.map(async (steps, n) => {
            const { execute } = createCommandRunner({ log: slow(model) })
            const seen = new Map<string, string | undefined>()
            for (const [at, { record, reads }] of steps.entries()) {
              await setImmediate()
              if (reads) seen.set(record, lastOf(record))
              else await saved(execute(edit({ record, text: textAfter(`${n}.${at}`, seen.get(record)), seen: seen.get(record) })))
            }
          }),
        )
        const last = new Map<string, string>()
        for (const { data } of model.events<Written>(stream)) {
          expect(data.text).toBe(textAfter(nameOf(data.text), last.get(data.record)))
          last.set(data.record, data.text)
        }
      }),
      { numRuns: 100 },
    )
  })
})

/** What is written names what was seen. */
const nameOf = (text: string): string => text.split(' ')[0] ?? ''
const textAfter = (name: string, seen: string | undefined): string => `${name} after ${seen === undefined ? 'nothing' : nameOf(seen)}`

const saved = async (saving: Promise<unknown>): Promise<void> => {
  await saving.catch((error: unknown) => expect(error).toEqual(meanwhile))
}
