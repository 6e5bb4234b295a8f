import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../kernel.ts'
import { MAX_BALANCE, REMEMBERED_COMMANDS, type WalletCommand, wallet } from './wallet.ts'

const { given } = specFor(wallet)

const add = (amount: number, commandId = 'c', note: string | null = null): WalletCommand => ({
  type: 'AddCredits',
  data: { commandId, amount, note },
})
const added = (amount: number, commandId: string | null = null, note: string | null = null) =>
  ({ type: 'CreditsAdded', data: { commandId, amount, note } }) as const

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
    const { recent } = [added(5, 'first'), ...others, added(1, 'last')].reduce(wallet.evolve, wallet.initialState)
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
      .thenEvents(added(1_000))
    given(added(1))
      .when({ type: 'FillNewWallet', data: { amount: 1_000 } })
      .thenNothing()
    given()
      .when({ type: 'FillNewWallet', data: { amount: 0 } })
      .thenNothing()
  })

  it('holds the exact sum of what was added, never less than nothing and never less than what is held', () => {
    const ids = fc.stringMatching(/^[ab]?$/)
    const amounts = fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 1, max: MAX_BALANCE }))
    const command = fc.oneof(
      fc.tuple(amounts, ids).map(([amount, id]) => add(amount, id)),
      amounts.map((amount): WalletCommand => ({ type: 'FillNewWallet', data: { amount } })),
    )
    fc.assert(
      fc.property(fc.array(command, { maxLength: 50 }), (commands) => {
        let state = wallet.initialState
        let sum = 0
        for (const one of commands) {
          try {
            const events = wallet.decide(one, state)
            sum += events.reduce((total, { data }) => total + data.amount, 0)
            state = events.reduce(wallet.evolve, state)
          } catch (error) {
            expect(error).toBeInstanceOf(Refused)
          }
          expect(state.balance).toBe(sum)
          expect(state.balance).toBeGreaterThanOrEqual(state.held)
          expect(state.held).toBeGreaterThanOrEqual(0)
          expect(Number.isSafeInteger(state.balance)).toBe(true)
        }
      }),
    )
  })
})
