import { wallet } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { walletsProjection } from '../src/wallets.projection.ts'
import { recorded, WORKSPACE } from './recorded.ts'
import { walletLife } from './wallet-events.ts'

test('a row says what the wallet itself says', () => {
  fc.assert(
    fc.property(walletLife, (events) => {
      const { balance, held, holds } = events.reduce(wallet.evolve, wallet.initialState)
      const [row = { workspace_id: WORKSPACE, balance: 0n, held: 0n, open_holds: 0 }] =
        foldAll(walletsProjection, recorded(events)).wallets ?? []
      expect(row).toMatchObject({ workspace_id: WORKSPACE, balance: BigInt(balance), held: BigInt(held), open_holds: holds.size })
    }),
  )
})

test('an event that cannot be applied stops it: a balance without the event would be wrong', () => {
  expect(walletsProjection.onPoison).toBe('stop')
})
