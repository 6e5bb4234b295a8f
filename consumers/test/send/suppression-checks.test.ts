import { expect, test } from 'vitest'
import { blockedBy, smsBlockedBy } from '../../src/send/suppression-checks.ts'

const present = { exists: true, emailSuppressions: [], smsSuppressions: [] }

test('nothing stops mail to a contact from a verified sender', () => {
  expect(blockedBy(present, 'verified')).toBeNull()
})

test('the recipient is asked about before the sender', () => {
  expect(blockedBy({ ...present, emailSuppressions: ['hard_bounce'] }, 'unverified')).toEqual({
    type: 'RecordSuppressed',
    data: { reason: 'hard_bounce' },
  })
})

test('of several reasons the gravest is named', () => {
  const emailSuppressions = ['soft_bounce', 'global_blocklist', 'hard_bounce'] as const
  expect(blockedBy({ ...present, emailSuppressions }, 'verified')).toEqual({ type: 'RecordSuppressed', data: { reason: 'hard_bounce' } })
})

test('nothing leaves a closed workspace', () => {
  expect(blockedBy(present, 'closed')).toEqual({ type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } })
})

test('a text message is stopped by what is suppressed for text messages, and then by its sender ID', () => {
  const sender = { isClosed: false, isApproved: true }
  expect(smsBlockedBy({ ...present, emailSuppressions: ['hard_bounce'] }, sender)).toBeNull()
  expect(smsBlockedBy({ ...present, smsSuppressions: ['sms_stop'] }, sender)).toBeNull()
  expect(smsBlockedBy({ ...present, smsSuppressions: ['invalid_address'] }, { ...sender, isApproved: false })).toEqual({
    type: 'RecordSuppressed',
    data: { reason: 'invalid_address' },
  })
  expect(smsBlockedBy(present, { ...sender, isApproved: false })).toMatchObject({ data: { reason: 'sender_id_not_approved' } })
  expect(smsBlockedBy(present, { ...sender, isClosed: true })).toMatchObject({ data: { reason: 'undeliverable' } })
})
