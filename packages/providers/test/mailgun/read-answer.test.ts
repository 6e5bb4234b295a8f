import { describe, expect, test } from 'vitest'
import { mailgunAccount } from '../../src/mailgun/account.ts'
import { readAnswer } from '../../src/mailgun/read-answer.ts'

const answer = (status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) => ({
  ...{ status, headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const failureOf = (status: number, message?: string, isPlain = true) => readAnswer(answer(status, { message }), isPlain).failure

test('a mail that is taken is called by the id of the answer, without brackets', () => {
  const said = readAnswer(answer(200, { id: '<a@b.example>', message: 'Queued. Thank you.' }), true)
  expect(said).toMatchObject({ failure: null, id: 'a@b.example' })
})

describe('an answer of Mailgun', () => {
  test.each([
    [400, "'to' parameter is not a valid address. please check documentation", 'recipient'],
    [400, 'to parameter is missing', 'refused'],
    [400, 'from parameter is not a valid address. please check documentation', 'refused'],
    [401, undefined, 'outage'],
    [402, undefined, 'outage'],
    [403, 'Domain mg.acme.example is not allowed to send: account disabled', 'outage'],
    [404, undefined, 'outage'],
    [301, undefined, 'outage'],
    [413, undefined, 'refused'],
    [429, undefined, 'rate limit'],
    [500, undefined, 'unconfirmed'],
    [502, undefined, 'unconfirmed'],
    [503, undefined, 'temporary'],
    [200, undefined, 'unconfirmed'],
  ])('%i %s means %s', (status, message, failure) => {
    expect(failureOf(status, message)).toBe(failure)
  })

  test('about an address that it alone may not take is not of the recipient', () => {
    expect(failureOf(400, 'to parameter is not a valid address', false)).toBe('refused')
  })

  test('that is no JSON, or an id that is none, says nothing', () => {
    expect(readAnswer(answer(200, 'OK'), true).failure).toBe('unconfirmed')
    expect(readAnswer(answer(200, { id: 'a\nb' }), true).failure).toBe('unconfirmed')
  })

  test('may say for how long to wait', () => {
    expect(readAnswer(answer(429, {}, { 'retry-after': '7' }), true)).toMatchObject({ waitMs: 7_000 })
  })
})

describe('an address of Mailgun', () => {
  test('names domain, key, host and the key of its webhooks', () => {
    expect(mailgunAccount('mailgun://mg.acme.example:k%2Cey@api.eu.mailgun.net?webhook=sign')).toEqual({
      ...{ domain: 'mg.acme.example', key: 'k,ey', origin: 'https://api.eu.mailgun.net', webhookKey: 'sign' },
    })
  })

  test.each([
    'mailgun://hunter2@api.mailgun.net',
    'mailgun://mg.acme.example:@api.mailgun.net',
    'mailgun://mg.acme.example/../x:hunter2@api.mailgun.net',
    'mailgun://mg.acme.example:hunter2@api.mailgun.net?webhok=x',
    'mailgun://mg.acme.example:hunter2@api.mailgun.net?protocol=ftp',
    'mailgun://mg.acme.example:hunter2@api.mailgun.net?webhook=',
    'mailgun://mg.acme.example:hunter2@api.mailgun.net/v3',
  ])('is not %s, and the sentence has nothing of it', (address) => {
    expect(() => mailgunAccount(address)).toThrow(/^(?!.*hunter2)The email provider /)
  })
})
