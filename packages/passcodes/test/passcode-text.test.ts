import { smsCredits, smsSegments } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passcodeText } from '../src/passcode-text.ts'

const code = '012345'
const textOf = (message: string | undefined, channel: 'sms' | 'voice' = 'sms') => passcodeText({ message, channel, code })

describe('the text of a passcode', () => {
  it.each([undefined, '', 'Hello', '{{ code }}', '{{CODE}}', '{code}'])('%j has no token: the default is used', (message) => {
    expect(textOf(message).body).toBe('Your verification code is 012345')
  })

  it('has the code wherever the token stands, and other tags as they are', () => {
    expect(textOf('{{code}}, {{firstName}}, {{code}}').body).toBe('012345, {{firstName}}, 012345')
    expect(textOf('$& {{code}} $1').body).toBe('$& 012345 $1')
  })

  it('has its digits apart in a call, which makes it longer', () => {
    expect(textOf(undefined, 'voice').body).toBe('Your verification code is 0 1 2 3 4 5')
    const message = `${'a'.repeat(150)}{{code}}`
    expect(textOf(message)).toMatchObject({ segments: 1, credits: 1 })
    expect(textOf(message, 'voice')).toMatchObject({ segments: 2, credits: 2 })
  })

  it('costs its price as a text message, and its segments as a call', () => {
    const templates = fc.string({ unit: fc.constantFrom('a', 'ש', '€', '{{code}}', '😀'), maxLength: 320 })
    fc.assert(
      fc.property(templates, fc.constantFrom('sms' as const, 'voice' as const), (message, channel) => {
        const { body, segments, credits, template } = textOf(message, channel)
        expect(segments).toBe(smsSegments(body))
        expect(credits).toBe(channel === 'sms' ? smsCredits(body) : segments)
        expect(template).not.toContain(code)
      }),
    )
  })
})
