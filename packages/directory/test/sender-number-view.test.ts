import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { asWorkspaceId, eventDeclarations, INSTALLATION, type SenderNumbersEvent, senderNumbersStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createFollower } from '@tidings/log-views'
import { expect, test } from 'vitest'
import { createSenderNumberView } from '../src/sender-number-view.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const shop = { workspaceId, senderId: 'shoptel' }
const context = () => ({
  commandId: crypto.randomUUID(),
  workspaceId: INSTALLATION,
  actor: 'test',
  requestId: 'r',
  at: '2026-01-01T00:00:00.000Z',
})
const event = (type: SenderNumbersEvent['type'], number: string): SenderNumbersEvent => ({
  type,
  data: { workspaceId, senderId: 'ShopTel', number },
})

/** `reads`: of the stream. */
const logged = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const counts = { reads: 0 }
  const readStream: EventLog['readStream'] = (...args) => {
    counts.reads++
    return log.readStream(...args)
  }
  const append = (...events: readonly SenderNumbersEvent[]) => log.append(senderNumbersStream(), 'any', events, context())
  return { log, counts, readStream, append }
}

test('a number is known without a read once the log is followed, in any case of the name, and follows its changes', async () => {
  const { log, counts, readStream, append } = logged()
  await append(event('SmsSenderNumberSet', '+972501110000'))
  const view = createSenderNumberView({ readStream })
  const follower = createFollower({ log, views: [view], now: () => 0 })
  await expect.poll(() => view.numberOf(shop) instanceof Promise).toBe(false)
  const { reads } = counts
  for (let n = 0; n < 1_000; n++) expect(view.numberOf(shop)).toBe('+972501110000')
  expect(view.numberOf({ workspaceId: INSTALLATION, senderId: 'shoptel' })).toBeNull()
  expect(counts.reads).toBe(reads)
  await append(event('SmsSenderNumberRemoved', '+972501110000'), event('SmsSenderNumberSet', '+972502220000'))
  await expect.poll(() => view.numberOf(shop)).toBe('+972502220000')
  await append(event('SmsSenderNumberRemoved', '+972502220000'))
  await expect.poll(() => view.numberOf(shop)).toBeNull()
  await follower.close()
})

test('where nothing is followed each question reads the log', async () => {
  const { readStream, append } = logged()
  const view = createSenderNumberView({ readStream })
  expect(await view.numberOf(shop)).toBeNull()
  await append(event('SmsSenderNumberSet', '+972501110000'))
  expect(await view.numberOf(shop)).toBe('+972501110000')
})
