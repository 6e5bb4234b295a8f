import { asContactId, asMessageId, type DomainEvent, type MessageEvent, type MessageId, type SmsAccepted } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { describe, expect, test } from 'vitest'
import { smsRecipientsProjection } from '../src/sms-recipients.projection.ts'
import { moment, recorded, WORKSPACE } from './recorded.ts'

const contactId = asContactId('0192f0c1-0000-7000-8000-00000000000b')

const accepted = (messageId: MessageId, from = 'Acme', to = '+491'): SmsAccepted => ({
  type: 'SmsAccepted',
  data: { messageId, contactId, channel: 'sms', to, from, body: 'Hi', credits: 1, segments: 1, templateId: null, kind: 'transactional' },
})
const of = (messageId: MessageId) => ({ messageId, contactId, channel: 'sms' }) as const
const sent = (messageId: MessageId): MessageEvent => ({
  type: 'MessageSent',
  data: { ...of(messageId), provider: 'twilio', providerMessageId: `SM${messageId}` },
})
const rowsOf = (...events: readonly DomainEvent[]) => foldAll(smsRecipientsProjection, recorded(events))

test('a contact has a row for each sender, whatever its case or plus, with the number, time and id of the last message', () => {
  const events = [
    accepted(asMessageId('a'), 'Acme', '+491'),
    accepted(asMessageId('b'), 'ACME', '+492'),
    accepted(asMessageId('c'), '+4915200', '+492'),
    accepted(asMessageId('d'), '4915200', '+493'),
  ]
  const row = { workspace_id: WORKSPACE, contact_id: contactId }
  const { sms_recipients, waiting_texts } = rowsOf(...events, ...['a', 'b', 'c', 'd'].map((id) => sent(asMessageId(id))))
  expect(sms_recipients).toEqual([
    { ...row, sender_key: 'ACME', sender: 'ACME', phone: '+492', last_at: moment(6), message_id: asMessageId('b') },
    { ...row, sender_key: '4915200', sender: '4915200', phone: '+493', last_at: moment(8), message_id: asMessageId('d') },
  ])
  expect(waiting_texts).toEqual([])
})

describe('a text', () => {
  const waiting = {
    workspace_id: WORKSPACE,
    message_id: asMessageId('b'),
    contact_id: contactId,
    sender_key: 'ACME',
    sender: 'Acme',
    phone: '+491',
    accepted_at: moment(3),
  }
  const written = (messageId: MessageId) => expect.objectContaining({ message_id: messageId })

  test('that waits leaves the one before it the last', () =>
    expect(rowsOf(accepted(asMessageId('a')), sent(asMessageId('a')), accepted(asMessageId('b')))).toEqual({
      sms_recipients: [written(asMessageId('a'))],
      waiting_texts: [waiting],
    }))

  test('that was readdressed while it waited was written to the other number', () => {
    const readdressed: MessageEvent = { type: 'MessageReaddressed', data: { ...of(asMessageId('a')), to: '+499' } }
    const { sms_recipients } = rowsOf(accepted(asMessageId('a')), readdressed, sent(asMessageId('a')))
    expect(sms_recipients).toEqual([expect.objectContaining({ message_id: asMessageId('a'), phone: '+499' })])
  })

  test.each<MessageEvent>([
    { type: 'MessageSuppressed', data: { ...of(asMessageId('b')), reason: 'sms_stop' } },
    { type: 'MessageSkipped', data: { ...of(asMessageId('b')), reason: 'no_consent' } },
    { type: 'MessageFailed', data: { ...of(asMessageId('b')), reason: 'provider_rejected', detail: null } },
  ])('that did not leave ($type) leaves the one before it the last', (end) =>
    expect(rowsOf(accepted(asMessageId('a')), sent(asMessageId('a')), accepted(asMessageId('b')), end)).toEqual({
      sms_recipients: [written(asMessageId('a'))],
      waiting_texts: [],
    }),
  )

  test.each<MessageEvent>([
    { type: 'MessageDelivered', data: of(asMessageId('b')) },
    { type: 'MessageUnconfirmed', data: { ...of(asMessageId('b')), provider: 'twilio' } },
  ])('that may have left ($type) is the last, whatever comes then', (reached) => {
    const end: MessageEvent = { type: 'MessageFailed', data: { ...of(asMessageId('b')), reason: 'undeliverable', detail: null } }
    for (const later of [[], [sent(asMessageId('b'))], [end]])
      expect(rowsOf(accepted(asMessageId('a')), sent(asMessageId('a')), accepted(asMessageId('b')), reached, ...later)).toEqual({
        sms_recipients: [written(asMessageId('b'))],
        waiting_texts: [],
      })
  })
})

test('the outcomes of mail and of passcodes concern no text', () => {
  const code = { messageId: asMessageId('p'), contactId: null, channel: 'sms' } as const
  const mail = { messageId: asMessageId('m'), contactId, channel: 'email' } as const
  expect(
    rowsOf(
      { type: 'MessageSent', data: { ...code, provider: 'twilio', providerMessageId: 'SM1' } },
      { type: 'MessageDelivered', data: mail },
    ),
  ).toEqual({ sms_recipients: [], waiting_texts: [] })
})
