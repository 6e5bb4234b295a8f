import { contextOf, modelLog } from '@tidings/commands/testing'
import { asMessageId, type WalletEvent, walletStream } from '@tidings/domain'
import { expect, it } from 'vitest'
import { verifyWallet } from '../src/verify-wallet.ts'

const { workspaceId } = contextOf('any')
const added: WalletEvent = { type: 'CreditsAdded', data: { commandId: 'c', amount: 5, note: null } }
const held = (amount: number): WalletEvent => ({
  type: 'CreditsHeld',
  data: { holds: [{ messageId: asMessageId('m'), amount, holder: 'h' }] },
})
const settled = (amount: number): WalletEvent => ({ type: 'CreditsSettled', data: { holds: [{ messageId: asMessageId('m'), amount }] } })
const carried = (balance: number): WalletEvent => ({
  type: 'BalanceCarriedForward',
  data: { events: 1, balance, credited: true, recent: [], holds: [] },
})

const verified = async (...events: readonly WalletEvent[]) => {
  const { log } = modelLog()
  await log.append(walletStream(workspaceId), 'no_stream', events, contextOf('all'))
  return await verifyWallet(log, workspaceId)
}

it.each([
  [[held(6)], 'Event 1 (CreditsHeld): 6 credits are held of 5.'],
  [[held(2), held(2)], 'Event 2 (CreditsHeld): a hold is open for message m already.'],
  [[settled(1)], 'Event 1 (CreditsSettled): no hold is open for message m.'],
  [[held(2), settled(1)], 'Event 2 (CreditsSettled): the hold for message m is of 2 credits, not 1.'],
  [[held(1), settled(1), held(1), settled(1)], 'Event 4 (CreditsSettled): message m is paid twice.'],
  [[carried(4)], 'Event 1 (BalanceCarriedForward): it carries 4 credits, not 5.'],
])('a wallet that is wrong is found out: %#', async (events, problem) => {
  const { ok, problems } = await verified(added, ...events)
  expect(ok).toBe(false)
  expect(problems).toContain(problem)
})

it('a wallet that is right has nothing to say, with what is held', async () => {
  expect(await verified(added, carried(5), held(2))).toEqual({ ok: true, events: 3, balance: 5, held: 2, problems: [] })
})
