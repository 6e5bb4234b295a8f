import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createMailgunWebhooks } from '../../src/mailgun/webhook.ts'

const KEY = 'key-of-the-webhooks'
const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const ID = '0192b1f0-0000-7000-8000-00000000000a.0000000000000000000000000@api.acme.example'
const message = { headers: { 'message-id': ID } }
const delivered = { event: 'delivered', recipient: 'ada@example.com', message }

type Signing = Readonly<{ key?: string; at?: number; token?: string }>
const posted = (event: unknown, { key = KEY, at = NOW, token = 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0' }: Signing = {}) => {
  const timestamp = String(Math.floor(at / 1_000))
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex')
  return { signature: { timestamp, token, signature }, 'event-data': event }
}
const read = (body: unknown, webhooks = createMailgunWebhooks([KEY])) => webhooks.read(Buffer.from(JSON.stringify(body)), NOW)
const reportOf = (event: unknown) => read(posted(event))?.report

describe('a report of Mailgun', () => {
  const failed = (more: object) => ({ ...delivered, event: 'failed', severity: 'permanent', ...more })
  const status = (code: number, said: string) => ({ 'delivery-status': { code, message: said } })
  const of = { providerMessageId: ID, to: 'ada@example.com' }

  test.each([
    ['delivered', delivered, { ...of, type: 'delivered' }],
    ['complained', { ...delivered, event: 'complained' }, { ...of, type: 'complained' }],
    [
      'failed for good, because of the recipient',
      failed(status(550, '5.1.1 The email account that you tried to reach does not exist')),
      { ...of, type: 'bounced', hard: true, reason: '550 5.1.1 The email account that you tried to reach does not exist' },
    ],
    [
      'failed for good, for another reason: the recipient is left untouched (M59)',
      failed(status(550, '5.7.1 blocked for spam')),
      { ...of, type: 'bounced', hard: false, reason: '550 5.7.1 blocked for spam' },
    ],
    ['failed for good, without an enhanced code', failed(status(550, 'no')), { ...of, type: 'bounced', hard: false, reason: '550 no' }],
    [
      'failed, since the address bounced before',
      failed({
        reason: 'suppress-bounce',
        'delivery-status': { code: 605, message: '', description: 'Not delivering to previously bounced address' },
      }),
      { ...of, type: 'bounced', hard: true, reason: '605 Not delivering to previously bounced address' },
    ],
    ['failed, since the person complained before', failed({ reason: 'suppress-complaint' }), { ...of, type: 'complained' }],
    ['failed for now', failed({ severity: 'temporary' }), null],
    ['opened', { ...delivered, event: 'opened' }, null],
    ['of a mail without an id', { ...delivered, message: {} }, null],
    ['that is no object', ['delivered'], null],
  ])('%s', (_, event, report) => {
    expect(reportOf(event)).toEqual(report)
  })
})

describe('no report is what', () => {
  test.each([
    ['has no signature', { 'event-data': delivered }],
    ['is signed with another key', posted(delivered, { key: 'another' })],
    ['was signed ten hours ago', posted(delivered, { at: NOW - 10 * 3_600_000 })],
    ['will be signed in ten minutes', posted(delivered, { at: NOW + 600_000 })],
    ['has a token that is none', posted(delivered, { token: 'a b' })],
    ['is a list', [posted(delivered)]],
    ['has numbers in its signature', { ...posted(delivered), signature: { timestamp: 1, token: 2, signature: 3 } }],
  ])('%s', (_, body) => {
    expect(read(body)).toBeNull()
  })

  test('is no JSON', () => {
    expect(createMailgunWebhooks([KEY]).read(Buffer.from('{'), NOW)).toBeNull()
  })

  test('comes where no key is configured', () => {
    expect(read(posted(delivered), createMailgunWebhooks([]))).toBeNull()
  })
})

test('a signature signs no event: seen once, it is good for the same body again and for no other', () => {
  const webhooks = createMailgunWebhooks(['key of another domain', KEY])
  expect(read(posted(delivered), webhooks)).toMatchObject({ report: { type: 'delivered' } })
  expect(read(posted({ ...delivered, event: 'complained' }), webhooks)).toBeNull()
  expect(read(posted(delivered), webhooks)).toMatchObject({ report: { type: 'delivered' } })
})
