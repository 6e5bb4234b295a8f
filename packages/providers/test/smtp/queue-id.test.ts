import { expect, test } from 'vitest'
import { queueIdIn } from '../../src/smtp/smtp-provider.ts'

test.each([
  ['Postfix', '250 2.0.0 Ok: queued as 4F2ABC1234', '4F2ABC1234'],
  ['Postfix with long ids', '250 2.0.0 Ok: queued as 4bJx0Z1Yz0zBk9t', '4bJx0Z1Yz0zBk9t'],
  ['Mailpit', '250 2.0.0 Ok: queued as a7Fz3kQ9.x', 'a7Fz3kQ9.x'],
  ['Exim', '250 OK id=1rABcD-0001Ab-2C', '1rABcD-0001Ab-2C'],
  ['Exim since 4.97', '250 OK id=1rABcD-00000001Ab2-2CdE', '1rABcD-00000001Ab2-2CdE'],
  ['Sendmail', '250 2.0.0 38BAx9qV012345 Message accepted for delivery', '38BAx9qV012345'],
  ['Gmail', '250 2.0.0 OK  1700000000 d9443c01a7336-1cc5b7d1e2fsi1234567plh.123 - gsmtp', 'd9443c01a7336-1cc5b7d1e2fsi1234567plh.123'],
  [
    'Amazon SES',
    '250 Ok 0100018c8f3e2a1b-1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d-000000',
    '0100018c8f3e2a1b-1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d-000000',
  ],
  ['SparkPost', '250 2.0.0 OK 5C/23-04567-89ABCDEF', '5C/23-04567-89ABCDEF'],
  ['Haraka', '250 Message Queued (6C7E1A2B-3C4D.1)', '6C7E1A2B-3C4D.1'],
  ['qmail', '250 ok 1700000000 qp 12345', '1700000000 qp 12345'],
  ['a server of several lines', '250-hello\n250 2.0.0 Ok: queued as 4F2A', '4F2A'],
])('the answer of %s names its mail', (_, answer, name) => {
  expect(queueIdIn(answer, 'zoe.quux@example.com')).toBe(name)
})

test.each([
  '250 OK',
  '250 2.0.0 OK',
  '250 OK: message queued',
  '250 2.6.0 <0192b1f0@mail.example> [InternalId=7] Queued mail for delivery',
  '250 Great success',
  '250 2.0.0 OK id=session-7',
  '250 Accepted, session id=1rABcD-0001Ab-2C',
  '250 2.6.0 Ok, id=12345-01, from MTA(smtp:[127.0.0.1]:10025)',
  '250 OK f47ac10b-58cc-4372-a567-0e02b2c3d479',
  '250 Ok 2001-db8',
  // MailHog names mails like this: it may as well be an address.
  '250 Ok: queued as Xy-Z_1=@mailhog.example',
  '250 2.0.0 queued as for delivery',
  '250 ok queued as ',
  `250 Ok: queued as ${'x'.repeat(500)}`,
  '',
])('%j names none', (answer) => {
  expect(queueIdIn(answer, 'zoe.quux@example.com')).toBeNull()
})

test('an answer of any length is read at once', () => {
  for (const piece of ['id==', 'queued as ', '250 ok ', '\n', 'message queued ('])
    expect(queueIdIn(piece.repeat(20_000), 'zoe.quux@example.com')?.length ?? 0).toBeLessThan(20)
})

test.each([
  ['ada.lovelace@example.com', 'queued as ada.lovelace', null],
  ['ada.lovelace@example.com', 'queued as <Ada_Lovelace.17>', null],
  ['ada.lovelace@example.com', 'queued as 77-ADALOVELACE-1', null],
  ['ada.lovelace@example.com', 'message queued (ada.lovelace=example.com)', null],
  ['ada.lovelace+news@example.com', 'queued as ada-lovelace', null],
  ['ada.lovelace@example.com', 'queued as grace@example.com', null],
  ['ada@example.com', 'queued as 17.ada.1', null],
  ['ada@example.com', 'queued as 4FADA1234', '4FADA1234'],
  ['+@example.com', 'queued as 4F2ABC1234', '4F2ABC1234'],
])('to %s, %j is %j', (to, said, name) => {
  expect(queueIdIn(`250 2.0.0 Ok: ${said}`, to)).toBe(name)
})
