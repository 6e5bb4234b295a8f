import { setImmediate } from 'node:timers/promises'
import { ForeignEvent } from '@tidings/codec'
import { asWorkspaceId, type Command, type Decider, type Event, Refused } from '@tidings/domain'
import { Unavailable } from '@tidings/event-store'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../src/clock.ts'
import { createCommandRunner } from '../src/command-runner.ts'
import { Busy } from '../src/errors.ts'
import { type KnownIds, modelLog } from './testing/model-log.ts'

type Deposit = Command<'Deposit', { amount: number }>
type Withdraw = Command<'Withdraw', { amount: number }>
type Deposited = Event<'Deposited', { amount: number }>
type Withdrawn = Event<'Withdrawn', { amount: number }>

const account: Decider<Deposit | Withdraw, Deposited | Withdrawn, number> = {
  decide: ({ type, data }, balance) => {
    if (data.amount === 0) return []
    if (type === 'Deposit') return [{ type: 'Deposited', data }]
    if (balance < data.amount) throw new Refused('insufficient_credits')
    return [{ type: 'Withdrawn', data }]
  },
  evolve: (balance, { type, data }) => (type === 'Deposited' ? balance + data.amount : balance - data.amount),
  initialState: 0,
}

const context = (commandId: string, workspaceId = asWorkspaceId('w1')) => ({
  commandId,
  workspaceId,
  actor: 'key:1',
  requestId: 'r1',
  at: '2026-01-01T00:00:00.000Z',
})
const stream = 'account-w1-1'
const deposit = (amount: number, commandId = `deposit ${amount}`) =>
  ({ decider: account, stream, command: { type: 'Deposit', data: { amount } }, context: context(commandId) }) as const
const withdraw = (amount: number, commandId = `withdraw ${amount}`) =>
  ({ decider: account, stream, command: { type: 'Withdraw', data: { amount } }, context: context(commandId) }) as const

/** A clock that only `sleep` advances. */
const testClock = (): Clock => {
  let time = 0
  return {
    now: () => time,
    random: () => 1,
    sleep: async (ms) => {
      time += ms
      await setImmediate()
    },
  }
}

describe('execute', () => {
  it('appends to a new stream without reading it', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: model.log })
    const executed = await execute({ ...deposit(5), isNew: true })
    expect(executed).toMatchObject({ state: 5, before: 0, revision: 0, position: { commit: 0n, prepare: 0n } })
    expect(model.calls).toEqual([`append ${stream}`])
  })

  it('decides on the cached state, so that an accepted command is one append', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: model.log })
    await execute(deposit(5))
    model.calls.length = 0
    await expect(execute(withdraw(3))).resolves.toMatchObject({ state: 2, revision: 1 })
    expect(model.calls).toEqual([`append ${stream}`])
  })

  it('reads before it refuses, because another process may have changed the answer', async () => {
    const model = modelLog()
    const here = createCommandRunner({ log: model.log })
    const elsewhere = createCommandRunner({ log: model.log })
    await here.execute(deposit(1))
    await elsewhere.execute(deposit(10))
    await expect(here.execute(withdraw(11))).resolves.toMatchObject({ state: 0 })
  })

  it('reads before it says that nothing changes', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: model.log })
    await execute(deposit(1))
    model.calls.length = 0
    await expect(execute(deposit(0))).resolves.toMatchObject({ events: [], state: 1, position: null })
    expect(model.calls).toEqual([`read ${stream}`])
  })

  it('refuses with what the decider threw', async () => {
    const { execute } = createCommandRunner({ log: modelLog().log })
    await expect(execute(withdraw(1))).rejects.toMatchObject({ code: 'insufficient_credits' })
  })

  it('decides again on what another process wrote', async () => {
    const model = modelLog()
    const here = createCommandRunner({ log: model.log })
    const elsewhere = createCommandRunner({ log: model.log })
    await here.execute(deposit(10))
    await elsewhere.execute(withdraw(8))
    await expect(here.execute(withdraw(3))).rejects.toMatchObject({ code: 'insufficient_credits' })
    await expect(here.execute(withdraw(2))).resolves.toMatchObject({ state: 0, revision: 2 })
  })

  it('carries out the commands of one stream in their order, without conflicts of its own', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: model.through(async (_, act) => setImmediate().then(act)) })
    const amounts = Array.from({ length: 50 }, (_, i) => i + 1)
    const executed = await Promise.all(amounts.map((amount) => execute(deposit(amount))))
    expect(executed.map(({ revision }) => revision)).toEqual(amounts.map((_, i) => i))
    expect(model.calls.filter((call) => call.startsWith('append'))).toHaveLength(50)
  })

  it('keeps the balance right when four processes withdraw at once', async () => {
    const model = modelLog()
    const log = model.through(async (_, act) => setImmediate().then(act))
    await createCommandRunner({ log }).execute(deposit(100))
    const processes = [1, 2, 3, 4].map(() => createCommandRunner({ log, clock: testClock() }))
    const answers = await Promise.allSettled(
      processes.flatMap(({ execute }, p) => Array.from({ length: 10 }, (_, i) => execute(withdraw(7, `withdraw ${p}-${i}`)))),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(14)
    expect((await processes[0]!.load({ decider: account, stream, workspaceId: asWorkspaceId('w1') })).state).toBe(2)
  })

  it('gives up as busy after two seconds of losing every race', async () => {
    const model = modelLog()
    const clock = testClock()
    let rival = 0
    const log = model.through(async (call, act) => {
      if (call.startsWith('append'))
        await model.log.append(stream, 'any', [{ type: 'Deposited', data: { amount: 1 } }], context(`rival ${rival++}`))
      return act()
    })
    await expect(createCommandRunner({ log, clock }).execute(deposit(1))).rejects.toBeInstanceOf(Busy)
    expect(clock.now()).toBeGreaterThanOrEqual(2_000)
    expect(clock.now()).toBeLessThan(2_100)
  })

  it('decides again after one race that it lost, though it stood still for longer than it tries', async () => {
    const model = modelLog()
    const elsewhere = createCommandRunner({ log: model.log })
    let now = 0
    const log = model.through(async (call, act) => {
      if (call.startsWith('append') && now === 0) {
        now = 60_000
        await elsewhere.execute(deposit(1, 'rival'))
      }
      return act()
    })
    const clock = { ...testClock(), now: () => now }
    await expect(createCommandRunner({ log, clock }).execute(deposit(5))).resolves.toMatchObject({ state: 6, revision: 1 })
  })

  it('refuses more than its queue for one stream holds', async () => {
    const { execute } = createCommandRunner({ log: modelLog().log, maxWaiting: 2 })
    const answers = await Promise.allSettled([1, 2, 3, 4].map((amount) => execute(deposit(amount))))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect(answers[3]).toMatchObject({ reason: { name: 'Busy', retryable: true } })
  })

  it('never shows an event of another workspace', async () => {
    const model = modelLog()
    await model.log.append(stream, 'no_stream', [{ type: 'Deposited', data: { amount: 1 } }], context('c', asWorkspaceId('w2')))
    await expect(createCommandRunner({ log: model.log }).execute(deposit(1))).rejects.toBeInstanceOf(ForeignEvent)
  })
})

describe.each<KnownIds>(['refused', 'at their place'])('a repeated command, where the log knows event ids that are %s,', (knownIds) => {
  it('is one append for this process', async () => {
    const model = modelLog([], knownIds)
    const { execute } = createCommandRunner({ log: model.log })
    await execute(deposit(5))
    const again = await execute(deposit(5))
    expect(again).toMatchObject({ state: 5, revision: 0, position: { commit: 0n } })
    expect(model.events(stream)).toHaveLength(1)
  })

  it('is one append for another process, which never saw the first', async () => {
    const model = modelLog([], knownIds)
    await createCommandRunner({ log: model.log }).execute(deposit(5))
    const again = await createCommandRunner({ log: model.log }).execute(deposit(5))
    expect(again).toMatchObject({ state: 5, revision: 0, position: { commit: 0n } })
    expect(model.events(stream)).toHaveLength(1)
  })

  it('appends nothing where another process takes it over that knows the stream from before, and says so', async () => {
    const model = modelLog([], knownIds)
    const [first, next] = [createCommandRunner({ log: model.log }), createCommandRunner({ log: model.log })]
    for (const { load } of [first, next]) await load({ decider: account, stream, workspaceId: asWorkspaceId('w1') })
    await first.execute(deposit(5, 'taken over'))
    const again = await next.execute(deposit(7, 'taken over'))
    expect(again).toMatchObject({ events: [], before: 5, state: 5, revision: 0, position: { commit: 0n } })
  })

  it('is answered as done even where the rules would refuse it by now', async () => {
    const model = modelLog([], knownIds)
    await createCommandRunner({ log: model.log }).execute(deposit(5))
    await createCommandRunner({ log: model.log }).execute(withdraw(5))
    const again = await createCommandRunner({ log: model.log }).execute(withdraw(5))
    expect(again).toMatchObject({ state: 0, events: [], position: { commit: 1n } })
  })

  it('is done once although its answer was lost', async () => {
    const model = modelLog([], knownIds)
    let lost = false
    const log = model.through(async (call, act) => {
      const answer = act()
      if (!lost && call.startsWith('append')) {
        lost = true
        throw new Unavailable('connection lost')
      }
      return answer
    })
    const { execute } = createCommandRunner({ log })
    await expect(execute(deposit(5))).rejects.toBeInstanceOf(Unavailable)
    await expect(execute(deposit(5))).resolves.toMatchObject({ state: 5, revision: 0 })
  })

  it('does not undo what others wrote since', async () => {
    const model = modelLog([], knownIds)
    const { execute } = createCommandRunner({ log: model.log })
    await execute(deposit(5))
    for (let n = 0; n < 10; n++) await execute(withdraw(0.5, `withdrawal ${n}`))
    for (const { execute } of [createCommandRunner({ log: model.log }), createCommandRunner({ log: model.log })]) await execute(deposit(5))
    expect(model.events(stream)).toHaveLength(11)
  })

  it('is found by a read of the whole stream, however long ago it was', async () => {
    const model = modelLog([], knownIds)
    const { execute } = createCommandRunner({ log: model.log })
    await execute(deposit(50))
    for (let n = 0; n < 40; n++) await execute(withdraw(1, `withdrawal ${n}`))
    expect(await createCommandRunner({ log: model.log }).execute(deposit(50))).toMatchObject({ state: 10 })
    expect(model.events(stream)).toHaveLength(41)
  })
})
