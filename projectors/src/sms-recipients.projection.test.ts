import type { SmsAccepted } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { moment, recorded, WORKSPACE } from '../test/recorded.ts'
import { smsRecipientsProjection } from './sms-recipients.projection.ts'

const contactId = '0192f0c1-0000-7000-8000-00000000000b'

const accepted = (from: string, to: string, messageId: string): SmsAccepted => ({
  type: 'SmsAccepted',
  data: {
    messageId,
    contactId,
    channel: 'sms',
    to,
    from,
    body: 'Hi',
    credits: 1,
    segments: 1,
    templateId: null,
    kind: 'transactional',
  },
})

test('a contact has a row for each sender, whatever its case or plus, with the number, time and id of the last message', () => {
  const events = [
    accepted('Acme', '+491', 'a'),
    accepted('ACME', '+492', 'b'),
    accepted('+4915200', '+492', 'c'),
    accepted('4915200', '+493', 'd'),
  ]
  const row = { workspace_id: WORKSPACE, contact_id: contactId }
  expect(foldAll(smsRecipientsProjection, recorded(events)).sms_recipients).toEqual([
    { ...row, sender_key: 'ACME', sender: 'ACME', phone: '+492', last_at: moment(2), message_id: 'b' },
    { ...row, sender_key: '4915200', sender: '4915200', phone: '+493', last_at: moment(4), message_id: 'd' },
  ])
})
