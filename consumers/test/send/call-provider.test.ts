import { whenKnown } from '@tidings/async'
import { expect, test } from 'vitest'
import { type Block, callProvider, GateClosed } from '../../src/send/call-provider.ts'

const calling = {
  lease: { ensure: () => undefined },
  signal: new AbortController().signal,
  callMs: 60_000,
  inDoubt: async () => undefined,
}
const STOPPED: Block = { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }

/** A gate of two views: the recipient's is known at once, the sender's is read the first time. */
const twoViews = () => {
  const read = Promise.withResolvers<null>()
  const recipient: { block: Block | null } = { block: null }
  let isRead = false
  const gate = () => {
    const { block } = recipient
    return whenKnown(isRead ? null : read.promise, () => block)
  }
  const endRead = () => {
    isRead = true
    read.resolve(null)
  }
  return { recipient, gate, endRead }
}

const callWith = (gate: () => Block | null | Promise<Block | null>) =>
  callProvider({ ...calling, gate }, async ({ fence }) => {
    await fence?.()
    return 'sent'
  })

test('a recipient that is stopped while the gate reads its sender gets nothing', async () => {
  const { recipient, gate, endRead } = twoViews()
  const calls = callWith(gate)
  recipient.block = STOPPED
  endRead()
  const closed = await calls.catch((error: unknown) => error)
  expect(closed).toBeInstanceOf(GateClosed)
  expect(closed).toMatchObject({ block: STOPPED })
})

test('a gate that reads lets pass what nothing stops meanwhile', async () => {
  const { gate, endRead } = twoViews()
  const calls = callWith(gate)
  endRead()
  expect(await calls).toBe('sent')
})
