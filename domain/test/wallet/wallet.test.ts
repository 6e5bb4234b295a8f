import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MessageId } from '../../src/ids.ts'
import { asMessageId } from '../../src/index.ts'
import { Refused } from '../../src/kernel.ts'
import {
  availableCredits,
  CARRY_FORWARD_EVERY,
  MAX_BALANCE,
  MAX_HOLDER_LENGTH,
  MAX_OPEN_HOLDS,
  REMEMBERED_COMMANDS,
  type WalletCommand,
  type WalletEvent,
  type WalletState,
  wallet,
} from '../../src/wallet/wallet.ts'

const { given } = specFor(wallet)

const add = (amount: number, commandId = 'c', note: string | null = null): WalletCommand => ({
  type: 'AddCredits',
  data: { commandId, amount, note },
})
const added = (amount: number, commandId: string | null = null, note: string | null = null) =>
  ({ type: 'CreditsAdded', data: { commandId, amount, note } }) as const

const holdOf = (messageId: MessageId, amount = 1, holder = 'a') => ({ messageId, amount, holder })
const hold = (...holds: readonly ReturnType<typeof holdOf>[]): WalletCommand => ({ type: 'HoldCredits', data: { holds } })
const held = (...holds: readonly ReturnType<typeof holdOf>[]): WalletEvent => ({ type: 'CreditsHeld', data: { holds } })
const end = (type: 'SettleHolds' | 'ReleaseHolds', messageId: MessageId, holder = 'a'): WalletCommand => ({
  type,
  data: { holds: [{ messageId, holder }] },
})
const settled = (messageId: MessageId, amount = 1): WalletEvent => ({ type: 'CreditsSettled', data: { holds: [{ messageId, amount }] } })
const released = (messageId: MessageId, amount = 1): WalletEvent => ({ type: 'CreditsReleased', data: { holds: [{ messageId, amount }] } })

const folded = (events: readonly WalletEvent[], from: WalletState = wallet.initialState) => events.reduce(wallet.evolve, from)

describe('a wallet', () => {
  it('is filled by every addition, and once by one that is tried again', () => {
    given()
      .when(add(5, 'first', 'invoice 7'))
      .thenEvents(added(5, 'first', 'invoice 7'))
    given(added(5, 'first')).when(add(5, 'second')).thenEvents(added(5, 'second'))
  })

  it('recognises a command again after as many others as it remembers, and keeps no more of them', () => {
    const others = Array.from({ length: REMEMBERED_COMMANDS - 1 }, (_, n) => added(1, `c${n}`))
    given(added(5, 'first'), ...others)
      .when(add(5, 'first'))
      .thenNothing()
    const { recent } = folded([added(5, 'first'), ...others, added(1, 'last')])
    expect(recent).toHaveLength(REMEMBERED_COMMANDS)
    expect(recent).not.toContain('first')
  })

  it('takes whole credits only, and at least one', () => {
    for (const amount of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) given().when(add(amount)).thenRefused('credits_not_positive')
  })

  it('is full at a bound', () => {
    given(added(MAX_BALANCE - 1))
      .when(add(2))
      .thenRefused('wallet_full')
    given()
      .when({ type: 'FillNewWallet', data: { amount: MAX_BALANCE + 1 } })
      .thenRefused('wallet_full')
  })

  it('is filled as a new one only while it is new', () => {
    given()
      .when({ type: 'FillNewWallet', data: { amount: 1_000 } })
      .thenEvents(added(1_000, null, 'workspace file'))
    given(added(1))
      .when({ type: 'FillNewWallet', data: { amount: 1_000 } })
      .thenNothing()
    given()
      .when({ type: 'FillNewWallet', data: { amount: 0 } })
      .thenNothing()
  })
})

describe('a hold', () => {
  it('is placed for those messages for which enough is available, in their order', () => {
    given(added(5))
      .when(hold(holdOf(asMessageId('m'), 3), holdOf(asMessageId('n'), 3), holdOf(asMessageId('o'), 2), holdOf(asMessageId('p'), 1)))
      .thenEvents(held(holdOf(asMessageId('m'), 3), holdOf(asMessageId('o'), 2)))
    given(added(5), held(holdOf(asMessageId('m'), 5)))
      .when(hold(holdOf(asMessageId('n'))))
      .thenNothing()
    given()
      .when(hold(holdOf(asMessageId('m'), 0)))
      .thenRefused('credits_not_positive')
  })

  it('is one of a message, which a later attempt takes over', () => {
    given(added(5))
      .when(hold(holdOf(asMessageId('m')), holdOf(asMessageId('m'))))
      .thenEvents(held(holdOf(asMessageId('m'))))
    given(added(5), held(holdOf(asMessageId('m'))))
      .when(hold(holdOf(asMessageId('m'), 1, 'b')))
      .thenEvents({ type: 'CreditHoldsTakenOver', data: { holds: [{ messageId: asMessageId('m'), holder: 'b' }] } })
  })

  it('ends once, settled or released, by the attempt that has it', () => {
    given(added(5), held(holdOf(asMessageId('m'), 2)))
      .when(end('SettleHolds', asMessageId('m')))
      .thenEvents(settled(asMessageId('m'), 2))
    given(added(5), held(holdOf(asMessageId('m'), 2)))
      .when(end('ReleaseHolds', asMessageId('m')))
      .thenEvents(released(asMessageId('m'), 2))
    given(added(5), held(holdOf(asMessageId('m'))), settled(asMessageId('m')))
      .when(end('ReleaseHolds', asMessageId('m')))
      .thenNothing()
    given(added(5), held(holdOf(asMessageId('m'))))
      .when(end('ReleaseHolds', asMessageId('m'), 'b'))
      .thenNothing()
    given(added(5), held(holdOf(asMessageId('m'))))
      .when(end('SettleHolds', asMessageId('n')))
      .thenNothing()
  })

  it('can be placed again after it was released', () => {
    given(added(5), held(holdOf(asMessageId('m'))), released(asMessageId('m')))
      .when(hold(holdOf(asMessageId('m'))))
      .thenEvents(held(holdOf(asMessageId('m'))))
  })

  it('knows the event that placed it, also after a takeover', () => {
    const taken: WalletEvent = { type: 'CreditHoldsTakenOver', data: { holds: [{ messageId: asMessageId('n'), holder: 'b' }] } }
    const { holds } = folded([added(5), held(holdOf(asMessageId('m'))), held(holdOf(asMessageId('n'))), taken])
    expect(holds.get('n')).toEqual({ ...holdOf(asMessageId('n'), 1, 'b'), revision: 2, holderRevision: 3 })
  })

  it('is one of a bounded number', () => {
    const many = Array.from({ length: MAX_OPEN_HOLDS + 1 }, (_, n) => holdOf(asMessageId(`m${n}`)))
    const state = folded([added(MAX_OPEN_HOLDS + 1)])
    expect(folded(wallet.decide(hold(...many), state), state).holds.size).toBe(MAX_OPEN_HOLDS)
  })
})

describe('the balance', () => {
  it('is carried forward from time to time, with everything that is known', () => {
    const past = [added(5_000, 'first'), ...Array.from({ length: CARRY_FORWARD_EVERY - 2 }, (_, n) => held(holdOf(asMessageId(`m${n}`))))]
    const before = folded(past)
    const events = wallet.decide(hold(holdOf(asMessageId('last'))), before)
    expect(events.map(({ type }) => type)).toEqual(['CreditsHeld', 'BalanceCarriedForward'])
    const after = folded(events, before)
    expect(folded(events.slice(1))).toEqual(after)
    expect(after).toMatchObject({ held: CARRY_FORWARD_EVERY - 1, events: CARRY_FORWARD_EVERY + 1 })
    expect(wallet.decide(end('SettleHolds', asMessageId('last')), after)).toEqual([settled(asMessageId('last'))])
  })
})

describe('whatever is asked in whatever order,', () => {
  const ids = fc.constantFrom('m', 'n', 'o').map(asMessageId)
  const holders = fc.constantFrom('a', 'b')
  const amounts = fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 1, max: MAX_BALANCE }))
  const few = fc.integer({ min: 1, max: 9 })
  const command = fc.oneof(
    fc.tuple(amounts, fc.stringMatching(/^[ab]?$/)).map(([amount, id]) => add(amount, id)),
    amounts.map((amount): WalletCommand => ({ type: 'FillNewWallet', data: { amount } })),
    few.map((amount) => add(amount, `c${amount}`)),
    fc.array(fc.tuple(ids, few, holders), { minLength: 1, maxLength: 3 }).map((all) => hold(...all.map((one) => holdOf(...one)))),
    fc.tuple(fc.constantFrom('SettleHolds', 'ReleaseHolds'), ids, holders).map((one) => end(...one)),
  )
  const entries = (events: readonly WalletEvent[], type: WalletEvent['type']) =>
    events.flatMap((event) => (event.type === type && 'holds' in event.data ? (event.data.holds as readonly { amount: number }[]) : []))
  const total = (all: readonly Readonly<{ amount: number }>[]) => all.reduce((sum, { amount }) => sum + amount, 0)

  it('the balance is what was added and not spent, what is held is the open holds, and neither is ever negative', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        let state = wallet.initialState
        const log: WalletEvent[] = []
        for (const one of commands) {
          try {
            const events = wallet.decide(one, state)
            log.push(...events)
            state = folded(events, state)
          } catch (error) {
            expect(error).toBeInstanceOf(Refused)
          }
          const topUps = total(log.flatMap((event) => (event.type === 'CreditsAdded' ? [event.data] : [])))
          const spent = total(entries(log, 'CreditsSettled'))
          expect(state.balance).toBe(topUps - spent)
          expect(state.held).toBe(total(entries(log, 'CreditsHeld')) - spent - total(entries(log, 'CreditsReleased')))
          expect(state.held).toBe(total([...state.holds.values()]))
          expect(Math.min(availableCredits(state), state.held)).toBeGreaterThanOrEqual(0)
          expect(Number.isSafeInteger(state.balance)).toBe(true)
        }
      }),
    )
  })
})

describe('a wallet with as many holds as it may have', () => {
  const uuid = (n: number) => `0192f0c1-0000-7000-8000-${String(n).padStart(12, '0')}`
  const holdsOf = (holder: string) =>
    Array.from({ length: MAX_OPEN_HOLDS }, (_, n) => ({
      messageId: asMessageId(uuid(n)),
      amount: 12,
      holder: holder.padEnd(MAX_HOLDER_LENGTH, '-'),
    }))
  /** One event before the balance is carried forward, after very many others. */
  const full = (): WalletState => {
    const commands = Array.from({ length: REMEMBERED_COMMANDS }, (_, n) => added(MAX_OPEN_HOLDS * 12, uuid(n)))
    return { ...folded(commands), events: 1_000_000_000, carriedAt: 1_000_000_000 - CARRY_FORWARD_EVERY + 1 }
  }
  const bytesOf = (events: readonly WalletEvent[]) => events.reduce((sum, { data }) => sum + JSON.stringify(data).length + 500, 0)

  it('writes at most 1 MB, the bound of an append, when all are placed or taken over at once', () => {
    const placed = wallet.decide(hold(...holdsOf('a')), full())
    expect(placed.map(({ type }) => type)).toEqual(['CreditsHeld', 'BalanceCarriedForward'])
    expect(bytesOf(placed)).toBeLessThan(1_048_576)
    const state = { ...folded([...placed.slice(0, 1)], full()), carriedAt: 0 }
    const taken = wallet.decide(hold(...holdsOf('b')), state)
    expect(taken.map(({ type }) => type)).toEqual(['CreditHoldsTakenOver', 'BalanceCarriedForward'])
    expect(bytesOf(taken)).toBeLessThan(1_048_576)
  })
})
