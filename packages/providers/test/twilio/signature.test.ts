import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSignedBy, twilioSignature } from '../../src/twilio/signature.ts'

const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
const params = (from: string) =>
  new URLSearchParams({ CallSid: 'CA1234567890ABCDE', Caller: from, Digits: '1234', From: from, To: '+18005551212' })

describe('the signature of Twilio', () => {
  // The examples of https://www.twilio.com/docs/usage/security.
  test.each([
    ['+14158675310', 'GvWf1cFY/Q7PnoempGyD5oXAezc='],
    ['+14158675309', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
  ])('is the published one for %s', (from, signature) => {
    expect(twilioSignature({ url, params: params(from) }, '12345')).toBe(signature)
    expect(isSignedBy(['other', '12345'], { url, params: params(from), signature })).toBe(true)
  })

  test('counts with and without the default port, and only that port', () => {
    const signed = (at: string) => twilioSignature({ url: at, params: params('+1') }, '12345')
    const isSigned = (at: string, signature: string) => isSignedBy(['12345'], { url: at, params: params('+1'), signature })
    expect(isSigned('https://a.example/x?y=1', signed('https://a.example:443/x?y=1'))).toBe(true)
    expect(isSigned('https://a.example:8443/x?y=1', signed('https://a.example/x?y=1'))).toBe(true)
    expect(isSigned('http://[::1]/x', signed('http://[::1]:80/x'))).toBe(true)
    expect(isSigned('https://a.example/x?y=1', signed('https://a.example:8443/x?y=1'))).toBe(false)
  })

  test('signs every value of a name once, in order', () => {
    const twice = new URLSearchParams('b=2&a=9&a=1&a=9')
    expect(twilioSignature({ url, params: twice }, 't')).toBe(twilioSignature({ url: `${url}a1a9b2`, params: new URLSearchParams() }, 't'))
  })

  test('is wrong when anything of it is wrong', () => {
    const signature = twilioSignature({ url, params: params('+1') }, '12345')
    const wrong = [
      { url: `${url}0`, params: params('+1'), signature },
      { url, params: params('+2'), signature },
      { url, params: new URLSearchParams([...params('+1'), ['More', '1']]), signature },
      { url, params: params('+1'), signature: signature.slice(0, -1) },
      { url, params: params('+1'), signature: '' },
      { url, params: params('+1'), signature: undefined },
    ]
    for (const request of wrong) expect(isSignedBy(['12345'], request)).toBe(false)
    expect(isSignedBy(['1234'], { url, params: params('+1'), signature })).toBe(false)
    expect(isSignedBy([], { url, params: params('+1'), signature })).toBe(false)
    fc.assert(fc.property(fc.string(), (guess) => isSignedBy(['12345'], { url, params: params('+1'), signature: guess }) === false))
  })
})
