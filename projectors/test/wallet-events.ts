import { asMessageId, type WalletCommand, type WalletEvent, wallet } from '@tidings/domain'
import fc from 'fast-check'
import { maybe, words } from './arbitraries.ts'

const messageId = fc.constantFrom('m1', 'm2', 'm3', 'm4').map(asMessageId)
const holder = fc.constantFrom('h1', 'h2')
const amount = fc.integer({ min: 1, max: 9 })

const command: fc.Arbitrary<WalletCommand> = fc.oneof(
  fc.record({ type: fc.constant('AddCredits' as const), data: fc.record({ commandId: fc.uuid(), amount, note: maybe(words) }) }),
  fc.record({
    type: fc.constant('HoldCredits' as const),
    data: fc.record({ holds: fc.array(fc.record({ messageId, amount, holder }), { maxLength: 3 }) }),
  }),
  fc.record({
    type: fc.constantFrom('SettleHolds' as const, 'ReleaseHolds' as const),
    data: fc.record({ holds: fc.array(fc.record({ messageId, holder }), { maxLength: 3 }) }),
  }),
)

/** The wallet of one workspace, as its decider writes it; sometimes its balance is carried forward. */
export const walletLife: fc.Arbitrary<readonly WalletEvent[]> = fc
  .tuple(fc.array(command, { minLength: 1, maxLength: 12 }), fc.boolean())
  .map(([commands, carries]) => {
    const decided: WalletEvent[] = []
    for (const one of commands) decided.push(...wallet.decide(one, decided.reduce(wallet.evolve, wallet.initialState)))
    const { events, balance, credited, recent, holds } = decided.reduce(wallet.evolve, wallet.initialState)
    const carried: WalletEvent = { type: 'BalanceCarriedForward', data: { events, balance, credited, recent, holds: [...holds.values()] } }
    return carries ? [...decided, carried] : decided
  })
