import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import { messageStream, type WalletEvent, walletStream } from '@tidings/domain'
import { expect, it } from 'vitest'
import { sweepHolds } from './sweep-holds.ts'
import { createWallets } from './wallets.ts'

const { workspaceId } = contextOf('any')
const MINUTE = 60_000
const START = Date.parse('2026-11-22T12:00:00.000Z')
const after = (minutes: number): number => START + minutes * MINUTE

/** A wallet with one message, and what happened to its hold so many minutes after the start. */
const walletAfter = async (...happened: readonly (readonly [minutes: number, WalletEvent])[]) => {
  const { log } = modelLog()
  const accepted = { type: 'EmailAccepted', data: { messageId: 'm', contactId: 'c', channel: 'sms', to: '', content: null } }
  await log.append(messageStream(workspaceId, 'm'), 'no_stream', [accepted], contextOf('accepted'))
  for (const [n, [minutes, event]] of happened.entries()) {
    const context = { ...contextOf(`${n}`), at: new Date(after(minutes)).toISOString() }
    await log.append(walletStream(workspaceId), n === 0 ? 'no_stream' : n - 1, [event], context)
  }
  const commands = createCommandRunner({ log })
  return { log, commands, wallets: createWallets({ commands }), workspaceId }
}

const added: WalletEvent = { type: 'CreditsAdded', data: { commandId: 'c', amount: 5, note: null } }
const held: WalletEvent = { type: 'CreditsHeld', data: { holds: [{ messageId: 'm', amount: 2, holder: 'dead' }] } }
const taken: WalletEvent = { type: 'CreditHoldsTakenOver', data: { holds: [{ messageId: 'm', holder: 'alive' }] } }

it('a hold of a queued message is released a quarter of an hour after it was placed', async () => {
  const sweeping = await walletAfter([0, added], [0, held])
  expect(await sweepHolds(sweeping, after(14))).toEqual({ settled: 0, released: 0, open: 1 })
  expect(await sweepHolds(sweeping, after(15))).toEqual({ settled: 0, released: 1, open: 0 })
})

it('a hold that an attempt took over is that attempt’s for a quarter of an hour, however long ago it was placed', async () => {
  const sweeping = await walletAfter([0, added], [0, held], [14, taken])
  expect(await sweepHolds(sweeping, after(15))).toEqual({ settled: 0, released: 0, open: 1 })
  // The attempt goes on and pays for what it sent.
  await sweeping.wallets.settle({ workspaceId, holds: [{ messageId: 'm', holder: 'alive' }] })
  expect(await sweeping.wallets.balanceOf(workspaceId)).toEqual({ balance: 3, held: 0, available: 3 })
})

it('nor is it left open longer than that', async () => {
  const sweeping = await walletAfter([0, added], [0, held], [14, taken])
  expect(await sweepHolds(sweeping, after(29))).toEqual({ settled: 0, released: 1, open: 0 })
})
