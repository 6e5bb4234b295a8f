import { describe, expect, test } from 'vitest'
import { TWILIO_ERRORS, TWILIO_STATUSES } from '../../src/twilio/errors.ts'
import { readAnswer } from '../../src/twilio/read-answer.ts'

const answer = (status: number, body: unknown, headers = {}) =>
  readAnswer({ status, headers, body: body === null ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }, 'AC1')
const taken = { sid: 'SM1', account_sid: 'AC1', status: 'queued', error_code: null }

describe('an answer to a request for a message', () => {
  test('that has a SID is a yes', () => {
    expect(answer(201, taken)).toEqual({ failure: null, sid: 'SM1', response: '201 queued' })
    expect(answer(200, { sid: '0192b1f0-0000-7000-8000-000000000001' })).toMatchObject({ failure: null })
  })

  test.each(TWILIO_ERRORS.filter(({ sending }) => sending !== null))('with the code $code is $sending: $means', ({ code, sending }) => {
    expect(answer(400, { code, message: 'why', status: 400 })).toMatchObject({ failure: sending, response: `HTTP 400, ${code}: why` })
    expect(answer(201, { ...taken, status: 'failed', error_code: code })).toMatchObject({ failure: sending })
  })

  test.each([
    [301, 'outage'],
    [307, 'outage'],
    [400, 'refused'],
    [401, 'outage'],
    [403, 'outage'],
    [404, 'outage'],
    [413, 'refused'],
    [429, 'rate limit'],
    [500, 'unconfirmed'],
    [502, 'unconfirmed'],
    [503, 'temporary'],
    [504, 'unconfirmed'],
  ])('with HTTP %d and no known code is %s', (status, failure) => {
    for (const body of [{ code: 99_999 }, '<html>', null, '', '[]', '"x"', 'null', '{"code":{}}'])
      expect(answer(status, body)).toMatchObject({ failure })
  })

  test.each([
    ['wrong JSON', '{"sid":'],
    ['no JSON', '<html>Welcome</html>'],
    ['nothing', ''],
    ['more than is read', null],
    ['no SID', { account_sid: 'AC1' }],
    ['a SID that is no text', { sid: 7, account_sid: 'AC1' }],
    ['a SID that no provider gives', { sid: 'SM1\r\nX: y', account_sid: 'AC1' }],
    ['a SID as long as a book', { sid: 'S'.repeat(10_000), account_sid: 'AC1' }],
    ['the SID of another account', { ...taken, account_sid: 'AC2' }],
    ['the failure of another account', { ...taken, account_sid: 'AC2', status: 'failed', error_code: 21211 }],
  ])('that is a yes with %s is unconfirmed', (_, body) => {
    expect(answer(201, body)).toMatchObject({ failure: 'unconfirmed' })
  })

  test('that says the message failed at once is a refusal', () => {
    expect(answer(201, { ...taken, status: 'failed', error_code: null })).toMatchObject({ failure: 'refused' })
  })

  test('says how long to wait, in seconds or until a date, and never longer than a minute', () => {
    const wait = (header: string) => answer(429, null, { 'retry-after': header })
    expect(wait('3')).toMatchObject({ waitMs: 3_000 })
    expect(wait('86400')).toMatchObject({ waitMs: 60_000 })
    expect(wait(new Date(Date.now() + 3_600_000).toUTCString())).toMatchObject({ waitMs: 60_000 })
    expect(wait(new Date(0).toUTCString())).toMatchObject({ waitMs: 0 })
    for (const header of ['', 'soon', '-1', '1e9']) expect(wait(header)).toMatchObject({ waitMs: null })
    expect(answer(429, null)).toMatchObject({ waitMs: null })
  })

  test('keeps a bounded part of the words', () => {
    expect(answer(400, { code: 99_999, message: 'x'.repeat(10_000) })).toMatchObject({ response: expect.stringMatching(/^.{500}$/) })
  })
})

test('every code is in the table once, and every status has a row', () => {
  expect(new Set(TWILIO_ERRORS.map(({ code }) => code)).size).toBe(TWILIO_ERRORS.length)
  expect(TWILIO_ERRORS.map(({ code }) => code)).toEqual(TWILIO_ERRORS.map(({ code }) => code).toSorted((a, b) => a - b))
  for (let status = 100; status < 600; status++) expect(TWILIO_STATUSES.some((row) => row.status.test(String(status)))).toBe(true)
})
