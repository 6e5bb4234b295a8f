import { asMessageId, asWorkspaceId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sayLanguage, twiml } from '../../src/twilio/twiml.ts'
import type { VoiceCall } from '../../src/voice/port.ts'

const call: VoiceCall = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192b1f0-0000-7000-8000-00000000000a'),
  to: '+972501234567',
  from: '+97231234567',
  message: 'Your code is {{code}}',
  code: '407193',
  locale: 'he',
}

describe('what a call says', () => {
  test('is the message with its code digit by digit, twice, in the language of the workspace', () => {
    const say = '<Say language="he-IL">Your code is 4, 0, 7, 1, 9, 3</Say>'
    expect(twiml(call)).toBe(
      `<?xml version="1.0" encoding="UTF-8"?><Response><Pause length="1"/>${say}<Pause length="1"/>${say}</Response>`,
    )
  })

  test('cannot be made another command by its message', () => {
    const text = twiml({ ...call, message: '</Say><Dial>+1900</Dial>&quot;{{code}}' })
    expect(text).not.toContain('<Dial>')
    expect(text).toContain('&lt;/Say&gt;&lt;Dial&gt;+1900&lt;/Dial&gt;&amp;quot;4, 0, 7')
  })

  test('is XML 1.0 whatever the message holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (message) => {
        const text = twiml({ ...call, message: `${message}\u0000\u0008\ud800\uffff{{code}}` })
        expect(text).toMatch(/^(?:[\t\n\r\u0020-\ud7ff\ue000-\ufffd]|[\u{10000}-\u{10ffff}])*$/u)
        expect(text.match(/4, 0, 7, 1, 9, 3/g)).toHaveLength(2)
      }),
    )
  })

  test.each([
    ['he', 'he-IL'],
    ['iw', 'he-IL'],
    ['he-IL', 'he-IL'],
    ['en', 'en-US'],
    ['en-GB', 'en-GB'],
    ['en_gb', 'en-GB'],
    ['ar', 'ar-XA'],
    ['zh-Hant', 'en-US'],
    ['tlh', 'en-US'],
    ['', 'en-US'],
    ['"><Dial>', 'en-US'],
  ])('of the locale %j is in %s', (locale, language) => {
    expect(sayLanguage(locale)).toBe(language)
  })
})
