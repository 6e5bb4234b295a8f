import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../kernel.ts'
import { MAX_BALANCE, type WalletCommand, wallet } from './wallet.ts'

const { given } = specFor(wallet)

const add = (amount: number, note: string | null = null): WalletCommand => ({ type: 'AddCredits', data: { amount, note } })
const added = (amount: number, note: string | null = null) => ({ type: 'CreditsAdded', data: { amount, note } }) as const

describe('a wallet', () => {
  it('is filled by every addition', () => {
    given()
      .when(add(5, 'invoice 7'))
      .thenEachTime([added(5, 'invoice 7')], [added(5, 'invoice 7')])
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
    const amounts = fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 1, max: MAX_BALANCE }))
    const command = fc.oneof(
      amounts.map((amount) => add(amount)),
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
