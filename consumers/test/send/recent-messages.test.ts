import type { Recorded } from '@tidings/codec'
import { asContactId, asMessageId, asWorkspaceId, type EmailAccepted, type MessageId, type PushAccepted } from '@tidings/domain'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Accepted } from '../../src/send/history.ts'
import { createRecentMessages } from '../../src/send/recent-messages.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const message = (messageId: MessageId, html = ''): Recorded<EmailAccepted> => ({
  id: 'e',
  stream: `message-w-${messageId}`,
  revision: 0,
  position: { commit: 1n, prepare: 0n },
  created: '2026-11-21T10:00:00.000Z',
  erased: false,
  type: 'EmailAccepted',
  meta: { workspaceId: asWorkspaceId('w'), actor: 'key:k', requestId: 'r', at: '2026-11-21T10:00:00.000Z', schemaVersion: 1 },
  data: {
    messageId,
    contactId: asContactId('c'),
    channel: 'email',
    to: 'ada@example.com',
    fromEmail: 'hello@acme.example',
    fromName: null,
    replyTo: null,
    content: { subject: '', html, text: null },
    contentId: null,
    templateId: null,
    kind: 'transactional',
  },
})

const push = (messageId: MessageId, texts: Partial<PushAccepted['data']>): Recorded<PushAccepted> => ({
  ...message(messageId),
  type: 'PushAccepted',
  data: {
    messageId,
    contactId: asContactId('c'),
    channel: 'push',
    title: '',
    body: '',
    url: null,
    icon: null,
    templateId: null,
    kind: 'transactional',
    ...texts,
  },
})

/** What it counts of the limit: one byte of a character, as for Latin-1, would be too little. */
const sizeOf = (characters: number): number => 1_600 + 2 * characters

const lengthOf = (taken: Recorded<Accepted> | undefined): number | undefined =>
  taken?.type === 'EmailAccepted' ? taken.data.content?.html.length : undefined

test('a message is taken once', () => {
  const recent = createRecentMessages()
  const one = message(asMessageId('1'))
  recent.put(one)
  expect(recent.take(asMessageId('1'))).toBe(one)
  expect(recent.take(asMessageId('1'))).toBeUndefined()
})

test('one that is put twice is taken once, as it was put last, also when the first was put long before', () => {
  const recent = createRecentMessages()
  recent.put(message(asMessageId('1')))
  vi.advanceTimersByTime(6_000)
  const again = message(asMessageId('1'))
  recent.put(again)
  expect(recent.take(asMessageId('1'))).toBe(again)
  expect(recent.take(asMessageId('1'))).toBeUndefined()
})

test('one that is not taken is there for four seconds, and gone after eight', () => {
  const timers = vi.getTimerCount()
  const recent = createRecentMessages()
  vi.advanceTimersByTime(12_345)
  recent.put(message(asMessageId('1')))
  recent.put(message(asMessageId('2')))
  vi.advanceTimersByTime(3_999)
  expect(recent.take(asMessageId('1'))).toBeDefined()
  vi.advanceTimersByTime(4_001)
  expect(recent.take(asMessageId('2'))).toBeUndefined()
  expect(vi.getTimerCount()).toBeLessThanOrEqual(timers)
})

test('one that a stopped process remembers is gone by the clock, though no timer has fired', () => {
  const recent = createRecentMessages()
  recent.put(message(asMessageId('1')))
  const stopped = performance.now() + 20_000
  vi.spyOn(performance, 'now').mockImplementation(() => stopped)
  expect(recent.take(asMessageId('1'))).toBeUndefined()
})

test('holds nothing after it was cleared', () => {
  const recent = createRecentMessages()
  recent.put(message(asMessageId('1')))
  vi.advanceTimersByTime(5_000)
  recent.put(message(asMessageId('2')))
  recent.clear()
  expect([recent.take(asMessageId('1')), recent.take(asMessageId('2'))]).toEqual([undefined, undefined])
})

test('whatever is put and taken, it holds no more bytes than it may, and the newest message', () => {
  const max = 20_000
  const step = fc.record({ id: fc.nat(30).map(String), length: fc.nat(12_000), isTaken: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const recent = createRecentMessages(max)
      for (const { id, length, isTaken } of steps) {
        recent.put(message(asMessageId(id), 'x'.repeat(length)))
        if (isTaken) expect(lengthOf(recent.take(asMessageId(id)))).toBe(sizeOf(length) > max / 2 ? undefined : length)
      }
      const left = Array.from({ length: 31 }, (_, id) => lengthOf(recent.take(asMessageId(String(id)))))
      expect(left.reduce<number>((sum, length) => sum + (length === undefined ? 0 : sizeOf(length)), 0)).toBeLessThanOrEqual(max)
    }),
  )
})

test.each(['title', 'body', 'url', 'icon'])('the %s of a push counts, as two bytes a character', (name) => {
  const recent = createRecentMessages(2 * sizeOf(1_000))
  recent.put(push(asMessageId('kept'), { [name]: 'я'.repeat(1_000) }))
  recent.put(push(asMessageId('not kept'), { [name]: 'я'.repeat(1_001) }))
  expect([recent.take(asMessageId('kept'))?.type, recent.take(asMessageId('not kept'))]).toEqual(['PushAccepted', undefined])
})
