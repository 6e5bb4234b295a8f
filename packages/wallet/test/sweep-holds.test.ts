import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import {
  asContactId,
  asMessageId,
  asVerificationId,
  type MessageEvent,
  messageStream,
  type WalletEvent,
  walletStream,
} from '@tidings/domain'
import { expect, it } from 'vitest'
import { sweepHolds } from '../src/sweep-holds.ts'
import { createWallets } from '../src/wallets.ts'

const { workspaceId } = contextOf('any')
const MINUTE = 60_000
const START = Date.parse('2026-11-22T12:00:00.000Z')
const after = (minutes: number): number => START + minutes * MINUTE
const at = (minutes: number): string => new Date(after(minutes)).toISOString()

const text = {
  type: 'SmsAccepted',
  data: {
    messageId: asMessageId('m'),
    contactId: asContactId('c'),
    channel: 'sms',
    to: '',
    from: '',
    body: '',
    credits: 2,
    segments: 1,
    templateId: null,
    kind: 'transactional',
  },
} as const satisfies MessageEvent
const passcode = {
  type: 'PasscodeAccepted',
  data: {
    messageId: asMessageId('m'),
    contactId: null,
    channel: 'sms',
    verificationId: asVerificationId('v'),
    to: '',
    from: '',
    credits: 2,
    segments: 1,
  },
} as const satisfies MessageEvent

type HappenedEvents = readonly (readonly [minutes: number, WalletEvent])[]

/** A wallet with one message, and what happened to its hold so many minutes after the start. */
const walletOf = async (first: MessageEvent, happened: HappenedEvents) => {
  const model = modelLog()
  const { log } = model
  await log.append(messageStream(workspaceId, asMessageId('m')), 'no_stream', [first], contextOf('accepted'))
  for (const [n, [minutes, event]] of happened.entries()) {
    const context = { ...contextOf(`${n}`), at: new Date(after(minutes)).toISOString() }
    await log.append(walletStream(workspaceId), n === 0 ? 'no_stream' : n - 1, [event], context)
  }
  const commands = createCommandRunner({ log })
  const events = () => model.events<MessageEvent>(messageStream(workspaceId, asMessageId('m'))).map(({ type }) => type)
  return { log, commands, wallets: createWallets({ commands }), workspaceId, events, model }
}
const walletAfter = (...happened: HappenedEvents) => walletOf(text, happened)

const added: WalletEvent = { type: 'CreditsAdded', data: { commandId: 'c', amount: 5, note: null } }
const held: WalletEvent = { type: 'CreditsHeld', data: { holds: [{ messageId: asMessageId('m'), amount: 2, holder: 'dead' }] } }
const taken: WalletEvent = { type: 'CreditHoldsTakenOver', data: { holds: [{ messageId: asMessageId('m'), holder: 'alive' }] } }

it('a hold of a queued message lives as long as its message may still be given to the provider, however long that takes (M58)', async () => {
  const sweeping = await walletAfter([0, added], [0, held])
  for (const minutes of [14, 16, 24 * 60, 90 * 24 * 60])
    expect(await sweepHolds(sweeping, after(minutes))).toEqual({ settled: 0, released: 0, open: 1, heldSince: at(0) })
  // Nothing of it can be spent meanwhile.
  const other = { workspaceId, holder: 'other', messages: [{ messageId: asMessageId('n'), amount: 4 }] }
  expect(await sweeping.wallets.hold(other)).toEqual(new Map([['n', 'insufficient_credits']]))
  const failed: MessageEvent = {
    type: 'MessageFailed',
    data: { messageId: asMessageId('m'), contactId: asContactId('c'), channel: 'sms', reason: 'expired', detail: null },
  }
  await sweeping.log.append(messageStream(workspaceId, asMessageId('m')), 0, [failed], contextOf('failed'))
  expect(await sweepHolds(sweeping, after(91 * 24 * 60))).toEqual({ settled: 0, released: 1, open: 0, heldSince: null })
  expect(await sweeping.wallets.hold(other)).toEqual(new Map([['n', 'held']]))
})

it('a hold that an attempt took over is that attempt’s, however long ago it was placed, and it pays for what it sent', async () => {
  const sweeping = await walletAfter([0, added], [0, held], [14, taken])
  expect(await sweepHolds(sweeping, after(29))).toEqual({ settled: 0, released: 0, open: 1, heldSince: at(14) })
  await sweeping.wallets.settle({ workspaceId, holds: [{ messageId: asMessageId('m'), holder: 'alive' }] })
  expect(await sweeping.wallets.balanceOf(workspaceId)).toEqual({ balance: 3, held: 0, available: 3 })
})

it('a hold of a message that was never accepted ends a quarter of an hour after its request left it', async () => {
  const sweeping = await walletAfter(
    [0, added],
    [0, { type: 'CreditsHeld', data: { holds: [{ messageId: asMessageId('never'), amount: 2, holder: 'dead' }] } }],
  )
  expect(await sweepHolds(sweeping, after(14))).toMatchObject({ released: 0, open: 1 })
  expect(await sweepHolds(sweeping, after(15))).toEqual({ settled: 0, released: 1, open: 0, heldSince: null })
})

it('a passcode that its request left behind has failed before its credits are free, however often it is swept', async () => {
  const sweeping = await walletOf(passcode, [
    [0, added],
    [0, held],
  ])
  expect(await sweepHolds(sweeping, after(14))).toMatchObject({ released: 0, open: 1 })
  expect(sweeping.events()).toEqual(['PasscodeAccepted'])
  const both = await Promise.all([sweepHolds(sweeping, after(15)), sweepHolds(sweeping, after(15))])
  expect(both.map(({ open }) => open)).toEqual([0, 0])
  expect(sweeping.events()).toEqual(['PasscodeAccepted', 'MessageFailed'])
  expect(await sweeping.wallets.balanceOf(workspaceId)).toEqual({ balance: 5, held: 0, available: 5 })
})

it('a passcode that was sent is paid, and stays sent', async () => {
  const sweeping = await walletOf(passcode, [
    [0, added],
    [0, held],
  ])
  const { log } = sweeping
  const sent: MessageEvent = {
    type: 'MessageSent',
    data: { messageId: asMessageId('m'), contactId: null, channel: 'sms', provider: 'p', providerMessageId: 'p1' },
  }
  await log.append(messageStream(workspaceId, asMessageId('m')), 0, [sent], contextOf('sent'))
  expect(await sweepHolds(sweeping, after(15))).toEqual({ settled: 1, released: 0, open: 0, heldSince: null })
  expect(sweeping.events()).toEqual(['PasscodeAccepted', 'MessageSent'])
})

it('a message that cannot be read keeps its own hold, and no other', async () => {
  const unreadable = { messageId: asMessageId('m'), amount: 1, holder: 'dead' }
  const lost = { messageId: asMessageId('lost'), amount: 1, holder: 'dead' }
  const sweeping = await walletAfter([0, added], [0, { type: 'CreditsHeld', data: { holds: [unreadable, lost] } }])
  const faults: unknown[] = []
  const log = {
    ...sweeping.log,
    readStream: (...[workspace, stream, options]: Parameters<typeof sweeping.log.readStream>) =>
      stream === messageStream(workspaceId, asMessageId('m'))
        ? Promise.reject(new Error('not decodable'))
        : sweeping.log.readStream(workspace, stream, options),
  }
  const swept = await sweepHolds({ ...sweeping, log: log as typeof sweeping.log, onFault: (error) => faults.push(error) }, after(15))
  expect(swept).toEqual({ settled: 0, released: 1, open: 1, heldSince: at(0) })
  expect(faults).toEqual([new Error('not decodable')])
})
