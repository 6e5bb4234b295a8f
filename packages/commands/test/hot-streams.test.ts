import { setImmediate } from 'node:timers/promises'
import { type Command, type Decider, type Event, Refused } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import { contextOf } from './testing/context-of.ts'
import { type ModelLog, modelLog } from './testing/model-log.ts'

type Spend = Command<'Spend', { amount: number }>
type Spent = Event<'Spent', { amount: number }>

const BUDGET = 100

/** A wallet: hot, because all messages of a workspace are paid from it. */
const wallet: Decider<Spend, Spent, number> = {
  decide: ({ data }, left) => {
    if (data.amount === 0) return []
    if (data.amount > left) throw new Refused('insufficient_credits')
    return [{ type: 'Spent', data }]
  },
  evolve: (left, { data }) => left - data.amount,
  initialState: BUDGET,
  hot: true,
}

const stream = 'wallet-w'
const spend = (amount: number, word: string) =>
  ({ decider: wallet, stream, command: { type: 'Spend', data: { amount } }, context: contextOf(word) }) as const

const slow = (model: ModelLog) => model.through(async (_, act) => setImmediate().then(act))
const left = (model: ModelLog) => model.events<Spent>(stream).reduce(wallet.evolve, BUDGET)
const appends = (model: ModelLog) => model.calls.filter((call) => call.startsWith('append')).length

describe('a hot stream', () => {
  it('takes the commands that wait in one append, each with its own answer', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: slow(model) })
    const executed = await Promise.all(Array.from({ length: 50 }, (_, n) => execute(spend(1, `s${n}`))))
    expect(appends(model)).toBe(2)
    expect(executed.map(({ state, revision }) => [state, revision])).toEqual(Array.from({ length: 50 }, (_, n) => [99 - n, n]))
  })

  it('refuses those that exceed the balance, and only them', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: slow(model) })
    const answers = await Promise.allSettled([60, 30, 30, 0, 10].map((amount, n) => execute(spend(amount, `s${n}`))))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(left(model)).toBe(0)
  })

  it('recognises a repeated command, which does not fail the others', async () => {
    const model = modelLog()
    const first = createCommandRunner({ log: slow(model) })
    await first.execute(spend(5, 'again'))
    for (const runner of [first, createCommandRunner({ log: slow(model) })]) {
      const word = runner === first ? 'a' : 'b'
      const answers = await Promise.all(
        [spend(1, `${word}1`), spend(1, `${word}2`), spend(5, 'again'), spend(1, `${word}3`)].map(runner.execute),
      )
      expect(answers[2]).toMatchObject({ events: [], position: expect.anything() })
    }
    expect(left(model)).toBe(BUDGET - 5 - 6)
  })

  it('decides a command once that waits twice', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: slow(model) })
    const answers = await Promise.all([spend(1, 'first'), spend(7, 'twin'), spend(1, 'between'), spend(7, 'twin')].map(execute))
    expect(left(model)).toBe(BUDGET - 9)
    expect(answers[3]).toMatchObject({ position: expect.anything() })
  })

  it('recognises it even when it was too long ago to be remembered', async () => {
    const model = modelLog()
    const { execute } = createCommandRunner({ log: slow(model) })
    await execute(spend(1, 'old'))
    for (let n = 0; n < 40; n++) await execute(spend(1, `s${n}`))
    await Promise.all([spend(1, 'x1'), spend(1, 'x2'), spend(1, 'old'), spend(1, 'x3')].map(execute))
    expect(left(model)).toBe(BUDGET - 44)
  })

  it('never spends more than there is under concurrent writers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 2 })), { maxLength: 60 }), async (orders) => {
        const model = modelLog()
        const runners = [0, 1, 2].map(() => createCommandRunner({ log: slow(model), cacheStreams: 10 }))
        const answers = await Promise.allSettled(orders.map(([amount, who], n) => runners[who]!.execute(spend(amount, `s${n}`))))
        const spent = orders.reduce((sum, [amount], n) => (answers[n]?.status === 'fulfilled' ? sum + amount : sum), 0)
        expect(left(model)).toBe(BUDGET - spent)
        expect(left(model)).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 100 },
    )
  })
})
