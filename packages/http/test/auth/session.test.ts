import { describe, expect, it } from 'vitest'
import { isOwnOrigin, shownSession } from '../../src/auth/session.ts'

describe('the session that a request shows', () => {
  const shown = (headers: Readonly<Record<string, string>>) => shownSession({ headers })

  it.each([
    [{ cookie: 'a=b; sender_session=token; c=d' }, { token: 'token', byCookie: true }],
    [{ authorization: 'Bearer token' }, { token: 'token', byCookie: false }],
    [{ authorization: 'bearer   token ' }, { token: 'token', byCookie: false }],
    [
      { authorization: 'Bearer token', cookie: 'sender_session=other' },
      { token: 'token', byCookie: false },
    ],
  ])('%j', (headers, expected) => {
    expect(shown(headers)).toEqual(expected)
  })

  it.each([
    {},
    { cookie: 'session=token' },
    { cookie: 'xsender_session=token' },
    { authorization: 'Basic dG9rZW4=' },
    { authorization: 'Bearer ' },
    { authorization: 'Bearer one two' },
    // The caller meant another one than the browser added.
    { authorization: 'Basic dG9rZW4=', cookie: 'sender_session=token' },
    { 'x-api-key': 'sk_evt_1' },
  ])('is none: %j', (headers) => {
    expect(shown(headers)).toBeNull()
  })
})

describe('a page', () => {
  const isOwn = (origin: string | undefined, publicUrl: string | null, host = 'api.acme.example') =>
    isOwnOrigin({ headers: origin === undefined ? {} : { origin }, host }, publicUrl)

  it.each([
    ['https://api.acme.example', 'https://api.acme.example'],
    ['https://api.acme.example', 'https://api.acme.example/tidings'],
    ['https://api.acme.example', null],
    ['http://localhost:3000', null, 'localhost:3000'],
    ['http://localhost:3000', null, 'LOCALHOST:3000'],
  ])('of %s is ours at %s', (...[origin, publicUrl, host]) => {
    expect(isOwn(origin, publicUrl, host)).toBe(true)
  })

  it.each([
    [undefined, 'https://api.acme.example'],
    ['null', 'https://api.acme.example'],
    ['null', null],
    ['', null],
    ['http://api.acme.example', 'https://api.acme.example'],
    ['https://api.acme.example:8443', 'https://api.acme.example'],
    ['https://api.acme.example.evil.example', 'https://api.acme.example'],
    ['https://evil.example', null],
    ['http://localhost:3001', null, 'localhost:3000'],
    // The host that a request names does not count if the address is configured.
    ['https://evil.example', 'https://api.acme.example', 'evil.example'],
  ])('of %s is none of ours at %s', (...[origin, publicUrl, host]) => {
    expect(isOwn(origin, publicUrl, host)).toBe(false)
  })
})
