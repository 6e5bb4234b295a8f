import { contextOf, modelLog } from '@tidings/commands/testing'
import { asMessageId, CARRY_FORWARD_EVERY, type WalletEvent, wallet, walletStream } from '@tidings/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { readStatement, type StatementEntry } from '../src/statement.ts'
import { type EntryPlace, readStatementBack } from '../src/statement-back.ts'

const { workspaceId } = contextOf('any')
const stream = walletStream(workspaceId)
const holdsOf = (n: number) => [0, 1, 2].map((k) => ({ messageId: asMessageId(`m${n}-${k}`), amount: k + 1, holder: 'h' }))

/** A wallet as the rules write it: credits, then holds of three messages that end, long enough to be carried forward three times. */
const history = (): readonly WalletEvent[] => {
  let state = wallet.initialState
  const events: WalletEvent[] = []
  const run = (command: Parameters<typeof wallet.decide>[0]): void => {
    for (const event of wallet.decide(command, state)) {
      events.push(event)
      state = wallet.evolve(state, event)
    }
  }
  run({ type: 'AddCredits', data: { commandId: 'c', amount: 100_000, note: 'first' } })
  for (let n = 0; events.length < 3 * CARRY_FORWARD_EVERY + 40; n++) {
    run({ type: 'HoldCredits', data: { holds: holdsOf(n) } })
    run({ type: n % 3 === 0 ? 'ReleaseHolds' : 'SettleHolds', data: { holds: holdsOf(n) } })
  }
  return events
}

const { log } = modelLog()
const onward: StatementEntry[] = []
const back = async (before?: EntryPlace, limit = Number.POSITIVE_INFINITY) => {
  const found: (StatementEntry & { place: EntryPlace })[] = []
  for await (const entry of readStatementBack(log, { workspaceId, before })) if (found.push(entry) >= limit) break
  return found
}
const plain = (entries: readonly (StatementEntry & { place: EntryPlace })[]) => entries.map(({ place: _, ...entry }) => entry)

describe('a statement that is read from its end', () => {
  beforeAll(async () => {
    const events = history()
    for (let n = 0; n < events.length; n += 100)
      await log.append(stream, n === 0 ? 'no_stream' : n - 1, events.slice(n, n + 100), contextOf(`all-${n}`))
    for await (const entry of readStatement(log, workspaceId)) onward.push(entry)
  })

  it('has the entries of the one that is read from its beginning', async () => {
    expect(plain(await back())).toEqual(onward.toReversed())
    expect(onward.length).toBeGreaterThan(1_000)
  })

  it('goes on before any entry, also one in the middle of an event', async () => {
    const all = await back()
    const paged = []
    for (let before: EntryPlace | undefined; ; ) {
      const page = await back(before, 7)
      paged.push(...page)
      if (page.length < 7) break
      before = page.at(-1)?.place
    }
    expect(paged).toEqual(all)
  })

  it('of a place behind the end is whole, and before the first entry there is none', async () => {
    expect((await back({ revision: 9_999_999, line: 3 })).length).toBe(onward.length)
    expect(await back({ revision: 0, line: 0 })).toEqual([])
  })
})
