import { expect, test } from 'vitest'
import { withoutSecrets } from '../src/secrets.ts'

test.each([
  ['https://hooks.example/services/T0/B0/word', 'https://hooks.example/(secret)'],
  ['https://user:word@hooks.example/?key=word', 'https://hooks.example/(secret)'],
  ['https://shop.example/', 'https://shop.example'],
  ['word', '(secret)'],
])('of a webhook at %s its origin is shown', (url, shown) => {
  expect(withoutSecrets('WebhookEndpointCreated', { url, signingSecret: null })).toEqual({ url: shown, signingSecret: null })
})

test('an opened mail shows that it had a link, and not a token that works', () => {
  const link = (token: string) => `https://tidings.example/forms/confirm?t=${token}`
  const content = (token: string) => ({ subject: 'Confirm', html: `<a href="${link(token)}">Yes</a>`, text: link(token), size: 1 })
  const data = { to: 'ada@example.com', content: content(`AR${'x_-'.repeat(22)}`) }
  expect(withoutSecrets('EmailAccepted', data)).toEqual({ to: 'ada@example.com', content: content('(secret)') })
  expect(withoutSecrets('EmailAccepted', { content: null })).toEqual({ content: null })
})
