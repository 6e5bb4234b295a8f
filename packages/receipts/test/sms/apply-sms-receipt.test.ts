import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  contactSubject,
  eventDeclarations,
  type MessageCommand,
  type MessageEvent,
  type MessageId,
  message,
  messageStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applySmsReceipt, type KnownSmsReceipt } from '../../src/sms/apply-sms-receipt.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const contactId = asContactId('0192b1f0-0000-7000-8000-00000000000c')
const keyRing = memoryKeyRing()
const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
const runner = createCommandRunner({ log })

const at = '2026-01-01T00:00:00.000Z'
const decide = (messageId: MessageId, command: MessageCommand) =>
  runner.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command,
    context: { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at },
  })
const content = { to: '+972501234567', from: 'ACME', body: 'Hi', credits: 1, segments: 1, templateId: null, kind: 'transactional' as const }
const accepted = async (): Promise<string> => {
  const messageId = asMessageId(crypto.randomUUID())
  await decide(messageId, { type: 'AcceptSms', data: { messageId, contactId, ...content } })
  return messageId
}
type SaidReceipt = Pick<KnownSmsReceipt, 'status' | 'reason' | 'detail'>
const sent: SaidReceipt = { status: 'sent', reason: null, detail: null }
const delivered: SaidReceipt = { status: 'delivered', reason: null, detail: null }
const failed: SaidReceipt = { status: 'failed', reason: 'expired', detail: 'undelivered, 30036' }
const receive = (messageId: MessageId, said: SaidReceipt) =>
  applySmsReceipt(runner, { ...said, workspaceId, messageId, providerMessageId: 'SM1', provider: 'twilio', at, requestId: 'r' })
const eventsOf = (messageId: MessageId) => log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
const stateOf = async (messageId: MessageId) => (await eventsOf(messageId)).reduce(message.evolve, message.initialState)

describe('reports of a text message', () => {
  test('in any order, and any number of times, leave it as the first final one said, and its stream short', async () => {
    const answer = 'the answer' as const
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(sent, delivered, failed, answer), { maxLength: 12 }), async (said) => {
        const messageId = asMessageId(await accepted())
        for (const one of said) {
          if (one === answer) await decide(messageId, { type: 'RecordSent', data: { provider: 'twilio', providerMessageId: 'SM1' } })
          else await receive(messageId, one)
        }
        const first = said.find((one) => one === delivered || one === failed)
        const expected = first === undefined ? (said.length === 0 ? 'queued' : 'sent') : (first as SaidReceipt).status
        const state = await stateOf(messageId)
        expect(state.status).toBe(expected)
        expect(state.failureReason).toBe(first === failed ? 'expired' : null)
        // Acceptance, sent, one final status, and one of each kind that came too late.
        expect((await eventsOf(messageId)).length).toBeLessThanOrEqual(5)
      }),
      { numRuns: 200 },
    )
  })

  test('say which id the provider has for it, once', async () => {
    const messageId = asMessageId(await accepted())
    expect(await receive(messageId, sent)).toMatchObject({ outcome: 'applied' })
    expect(await receive(messageId, sent)).toEqual({ outcome: 'repeated', position: null })
    expect(await stateOf(messageId)).toMatchObject({ status: 'sent', providerMessageId: 'SM1' })
  })

  test('of one that was never accepted are no message’s', async () => {
    for (const said of [sent, delivered, failed])
      expect(await receive(asMessageId(crypto.randomUUID()), said)).toEqual({ outcome: 'unknown_message', position: null })
  })

  test('of an erased person are kept without the provider’s words', async () => {
    const other = createCommandRunner({ log })
    const messageId = asMessageId(await accepted())
    await keyRing.shred(workspaceId, contactSubject({ contactId }))
    const receipt = { ...failed, workspaceId, messageId, providerMessageId: 'SM1', provider: 'twilio', at, requestId: 'r' }
    expect(await applySmsReceipt(other, receipt)).toMatchObject({ outcome: 'applied' })
    expect((await eventsOf(messageId)).at(-1)).toMatchObject({ type: 'MessageFailed', data: { reason: 'expired', detail: null } })
  })
})
