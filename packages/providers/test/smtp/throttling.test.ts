import { expect, test } from 'vitest'
import type { SmtpCommand } from '../../src/smtp/refusals.ts'
import { throttledBy } from '../../src/smtp/refusals.ts'

const said = (command: SmtpCommand, text: string) => throttledBy(command, { code: Number(text.slice(0, 3)), text })

test.each([
  ['DATA', '454 Throttling failure: Maximum sending rate exceeded.'],
  ['DATA', '454 Throttling failure: Daily message quota exceeded.'],
  ['MAIL FROM', '454 4.7.0 Throttling failure'],
  ['MAIL FROM', '421 4.7.0 mx.example.com Error: too many connections from 192.0.2.1'],
  ['MAIL FROM', '450 4.7.1 Error: too much mail from 192.0.2.1'],
  ['MAIL FROM', '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail'],
  ['DATA', '421 4.7.28 try again later'],
  ['MAIL FROM', '451 4.7.500 Server busy. Please try again later'],
  ['MAIL FROM', '451 4.7.650 The mail server has been temporarily rate limited due to IP reputation'],
  ['MAIL FROM', '421 4.4.5 Service unavailable, concurrency limit reached'],
  ['DATA', '452 4.3.1 You have exceeded your hourly sending limit'],
  ['MAIL FROM', '450 slow down'],
] as const)('an answer to %s is about the rate of the sender: %s', (command, text) => {
  expect(said(command, text)).toBe('sender')
})

test.each(['450 4.7.1 Error: too many recipients from 192.0.2.1', '451 4.7.1 rate limit exceeded, try later'])(
  'an answer to RCPT is about its recipient, until others get it: %s',
  (text) => {
    expect(said('RCPT TO', text)).toBe('recipient')
  },
)

test.each([
  ['DATA', '451 4.7.0 Message refused by policy'],
  ['MAIL FROM', '451 4.7.0 Temporary failure'],
  ['DATA', '421-4.7.0 see https://mail.example/help'],
] as const)('an answer to %s by a policy that it does not name is about the recipient, until others get it: %s', (command, text) => {
  expect(said(command, text)).toBe('recipient')
})

test.each([
  ['RCPT TO', '450 4.7.0 Greylisted, please try again later'],
  ['RCPT TO', '451 4.7.1 Greylisting in action, too fast'],
  ['DATA', '450 4.7.0 Greylisted'],
  [
    'RCPT TO',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered',
  ],
  ['DATA', '450 4.2.1 The user you are trying to contact is receiving mail too quickly'],
  ['RCPT TO', '452 4.2.2 The mailbox is over quota: limit exceeded'],
  ['RCPT TO', '452 4.5.3 Too many recipients'],
  ['RCPT TO', '450 4.7.0 try again later'],
  ['RCPT TO', '454 4.7.1 <ada@example.com>: Relay access denied'],
  ['MAIL FROM', '452 4.3.1 Insufficient system storage'],
  ['DATA', '451 4.3.0 Error: queue file write error'],
  ['MAIL FROM', '421 4.3.2 Service shutting down'],
  ['MAIL FROM', '451 4.1.8 corporate domain not found'],
  ['DATA', '554 5.7.1 too many messages'],
] as const)('an answer to %s is about something else: %s', (command, text) => {
  expect(said(command, text)).toBeNull()
})

test('no answer says nothing of the rate', () => {
  expect(throttledBy('DATA', undefined)).toBeNull()
})
