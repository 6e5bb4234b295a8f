import { loadConfig } from '@tidings/config'
import { expect, test } from 'vitest'
import { mailObstacle } from '../../src/command-side/dashboard-dependencies.ts'

const SMTP = { TIDINGS_EMAIL_PROVIDER: 'smtp://relay.example' }

test.each([
  ['a developer sees it in the outbox', {}, null],
  ['the outbox of production is not shown', { NODE_ENV: 'production', TIDINGS_ALLOW_OUTBOX: '1' }, 'mail_stays_here'],
  ['a relay gets none from localhost', SMTP, 'operator_address_missing'],
  ['nor from an address that is a number', { ...SMTP, TIDINGS_PUBLIC_URL: 'http://192.0.2.1' }, 'operator_address_missing'],
  ['the operator has an address', { ...SMTP, TIDINGS_EMAIL_FROM: 'Operator@example.com' }, null],
  ['the host of the service has one', { ...SMTP, TIDINGS_PUBLIC_URL: 'https://tidings.example' }, null],
])('mail of the service leaves, or says why not: %s', (_, settings, obstacle) => {
  expect(mailObstacle(loadConfig(settings, null))).toBe(obstacle)
})
