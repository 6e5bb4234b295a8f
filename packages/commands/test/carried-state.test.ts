import type { EventLog } from '@tidings/codec'
import type { Command, Decider, Event } from '@tidings/domain'
import { expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import { contextOf } from './testing/context-of.ts'
import { modelLog } from './testing/model-log.ts'

type Add = Command<'Add', { carry: boolean }>
type Counted = Event<'Counted', Record<never, never>> | Event<'Carried', { count: number }>
type Count = Readonly<{ count: number; folded: number }>

/** A counter that carries its state forward when it is asked to; `folded` is how many events the state was made from. */
const counter: Decider<Add, Counted, Count> = {
  decide: ({ data }, { count }) => [
    { type: 'Counted', data: {} },
    ...(data.carry ? [{ type: 'Carried', data: { count: count + 1 } } as const] : []),
  ],
  evolve: ({ count, folded }, event) =>
    event.type === 'Carried' ? { count: event.data.count, folded: folded + 1 } : { count: count + 1, folded: folded + 1 },
  initialState: { count: 0, folded: 0 },
  carriesState: ({ type }) => type === 'Carried',
}

const stream = 'counter-w'
const loading = { decider: counter, stream, workspaceId: contextOf('any').workspaceId }
const counting = (n: number, carry = false) =>
  ({ decider: counter, stream, command: { type: 'Add', data: { carry } }, context: contextOf(`c${n}`) }) as const

it('a stream that carries its state forward is read from there, by a new process and by one that fell far behind', async () => {
  const model = modelLog()
  const [writer, behind] = [createCommandRunner({ log: model.log }), createCommandRunner({ log: model.log })]
  const load = async (runner: typeof writer) => (await runner.load(loading)).state
  await writer.execute(counting(0))
  expect(await load(behind)).toEqual({ count: 1, folded: 1 })
  for (let n = 1; n < 3_000; n++) await writer.execute(counting(n, n === 2_000))
  expect(await load(createCommandRunner({ log: model.log }))).toEqual({ count: 3_000, folded: 1_000 })
  // Earlier folds stay counted: the known event, and the events since the state was carried.
  expect(await load(behind)).toEqual({ count: 3_000, folded: 1_001 })
  await behind.execute(counting(3_000))
  expect(await load(writer)).toMatchObject({ count: 3_001 })
})

it('where events before are missing, nothing is decided unless a later one carries the state', async () => {
  const model = modelLog()
  const [writer, behind] = [createCommandRunner({ log: model.log }), createCommandRunner({ log: model.log })]
  await writer.execute(counting(0))
  await behind.load(loading)
  for (let n = 1; n < 10; n++) await writer.execute(counting(n))
  const truncated = {
    ...model.log,
    readStream: async <E extends { type: string; data: unknown }>(...[workspaceId, name, options]: Parameters<EventLog['readStream']>) =>
      (await model.log.readStream<E>(workspaceId, name, options)).filter(({ revision }) => revision >= 5),
  }
  const newRunner = () => createCommandRunner({ log: truncated })
  await expect(newRunner().load(loading)).rejects.toThrow('the events of counter-w before 5 are missing')
  await expect(newRunner().execute(counting(10))).rejects.toThrow(/missing/)
  await writer.execute(counting(11, true))
  expect((await newRunner().load(loading)).state).toMatchObject({ count: 11 })
})

it('before it has carried anything, all of it is read', async () => {
  const model = modelLog()
  const writer = createCommandRunner({ log: model.log })
  for (let n = 0; n < 1_200; n++) await writer.execute(counting(n))
  expect((await createCommandRunner({ log: model.log }).load(loading)).state).toEqual({ count: 1_200, folded: 1_200 })
})
