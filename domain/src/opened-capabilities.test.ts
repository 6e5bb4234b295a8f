import { expect, test } from 'vitest'
import { withoutSecrets } from './secrets.ts'

test.each(['/u', '/forms/confirm', '/verify', '/c', '/o.gif'])(
  'an opened mail shows that it had a link to %s, and not a token that works',
  (path) => {
    const link = `https://tidings.example${path}?t=AbC-1_xyzAbC-1_xyz`
    const content = { subject: 'Confirm', html: `<a href="${link}">Yes</a>`, text: link, fields: { confirmUrl: link }, size: 1 }
    const shown = withoutSecrets('EmailAccepted', { to: 'ada@example.com', content })
    const hidden = `https://tidings.example${path}?t=(secret)`
    expect(shown).toEqual({
      to: 'ada@example.com',
      content: { subject: 'Confirm', html: `<a href="${hidden}">Yes</a>`, text: hidden, fields: { confirmUrl: hidden }, size: 1 },
    })
    expect(withoutSecrets('EmailAccepted', { content: null })).toEqual({ content: null })
  },
)

test.each([
  ['https://hooks.example/services/T0/B0/word', 'https://hooks.example/(secret)'],
  ['https://user:word@hooks.example/?key=word', 'https://hooks.example/(secret)'],
  ['https://shop.example/', 'https://shop.example'],
  ['word', '(secret)'],
])('of a webhook at %s its origin is shown', (url, shown) => {
  expect(withoutSecrets('WebhookEndpointCreated', { url, signingSecret: null })).toEqual({ url: shown, signingSecret: null })
})
