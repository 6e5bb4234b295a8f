import { expect, test } from 'vitest'
import { mailboxAddress } from '../../src/mailbox/mailbox-address.ts'

test('an address says where the mailbox is, and its name does not say the password', () => {
  expect(mailboxAddress('imaps://bounces%40example.com:s3%3Acret@imap.example.com/Returned%20mail')).toEqual({
    host: 'imap.example.com',
    port: 993,
    secure: true,
    tls: 'optional',
    verify: true,
    credentials: { user: 'bounces@example.com', pass: 's3:cret' },
    folder: 'Returned mail',
    name: 'bounces@example.com@imap.example.com:993/Returned mail',
  })
})

test.each([
  ['imap://u:p@imap.example.com', 'required'],
  ['imap://u:p@127.0.0.1', 'optional'],
  ['imap://u:p@127.0.0.1?tls=off', 'off'],
  ['imap://u:p@imap.example.com?tls=optional', 'optional'],
])('%s goes over TLS: %s', (address, tls) => {
  expect(mailboxAddress(address)).toMatchObject({ tls, folder: 'INBOX', port: 143 })
})

test.each([
  ['http://u:hunter2@imap.example.com', 'starts with imap'],
  ['imaps://imap.example.com', 'a user and a password'],
  ['imap://u:hunter2@imap.example.com?tls=off', 'in clear'],
  ['imaps://u:hunter2@imap.example.com?tls=some', 'unknown tls'],
  ['imaps://u:hunter2%@imap.example.com', 'percent-encoded'],
  ['imaps://u:hunter2@imap.example.com/a%zz', 'percent-encoded'],
  ['imaps://u:hunter2@imap.example.com?verify=false', 'unknown verify'],
  ['imaps://u:hunter2@imap.example.com?tsl=required', 'unknown setting'],
  ['imaps://u:12/hunter2@imap.example.com', 'a user and a password'],
  ['imaps://u:hunter2@imap.example.com/INBOX#1', '# as %23'],
  ['imaps://u:hunter2@', 'is no address'],
])('%s cannot be used', (address, why) => {
  expect(() => mailboxAddress(address)).toThrow(why)
  expect(() => mailboxAddress(address)).not.toThrow('hunter2')
})
