import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeValues } from '../../src/merge/merge-values.ts'
import { checkedSmsBody, renderSms } from '../../src/sms/render-sms.ts'
import { GSM7_BASIC, GSM7_EXTENSION, smsCredits, smsParts, smsSegments } from '../../src/sms/segments.ts'
import { smsKeyword } from '../../src/sms/sms-keyword.ts'

const refused = (code: string) => expect.objectContaining({ code })

const gsm = [...GSM7_BASIC].filter((character) => character !== '\u001b')
const extended = [...GSM7_EXTENSION.keys()]
const characters = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...gsm, ...extended) },
  { weight: 1, arbitrary: fc.constantFrom('ש', '😀', 'ç', '\t', '\ud800') },
)
const gsmText = fc.array(fc.constantFrom(...gsm, ...extended), { maxLength: 900 }).map((all) => all.join(''))
const anyText = fc.array(characters, { maxLength: 900 }).map((all) => all.join(''))

/** Counts what is billed one code unit at a time: [units, is GSM-7]. */
const naive = (text: string): readonly [number, boolean] => {
  let septets = 0
  let other = false
  for (const unit of text.split('')) {
    if (extended.includes(unit)) septets += 2
    else if (gsm.includes(unit)) septets += 1
    else other = true
  }
  return other ? [text.length, false] : [septets, true]
}

/** Counts how often something of the size goes into the length, at least once. */
const parts = (length: number, size: number): number => {
  let count = 1
  while (count * size < length) count++
  return count
}

describe('the price of a text message', () => {
  it.each([
    ['', 1],
    ['a'.repeat(268), 1],
    ['a'.repeat(269), 2],
    ['€'.repeat(134), 1],
    ['€'.repeat(135), 2],
    ['ש'.repeat(134), 1],
    ['ש'.repeat(135), 2],
    [`${'a'.repeat(133)}ש`, 1],
    [`${'a'.repeat(134)}ש`, 2],
    ['😀'.repeat(67), 1],
    ['😀'.repeat(68), 2],
  ])('%# is counted by 268', (body, credits) => expect(smsCredits(body)).toBe(credits))

  it('is that of a count by hand', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText, anyText), (text) => {
        const [units, isGsm] = naive(text)
        expect(smsCredits(text)).toBe(parts(isGsm ? units : units * 2, 268))
      }),
    )
  })
})

describe('the segments of a text message', () => {
  it.each([
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['{'.repeat(80), 1],
    ['{'.repeat(81), 2],
    ['ש'.repeat(70), 1],
    ['ש'.repeat(71), 2],
    ['ש'.repeat(134), 2],
    ['ש'.repeat(135), 3],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(66), 2],
    ['😀'.repeat(67), 3],
    [`${'a'.repeat(152)}${'€'.repeat(77)}`, 3],
  ])('%# are counted by alphabet', (body, segments) => expect(smsSegments(body)).toBe(segments))

  it('are those of a count by hand', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText, anyText), (text) => {
        const [units, isGsm] = naive(text)
        const [one, each] = isGsm ? [160, 153] : [70, 67]
        const { parts } = smsParts(text)
        expect(smsSegments(text)).toBe(parts.length)
        expect(parts.join('')).toBe(text)
        if (units <= one) expect(parts).toEqual([text])
        else
          parts.forEach((part, n) => {
            expect(isGsm ? naive(part)[0] : part.length).toBeLessThanOrEqual(each)
            expect(part).not.toBe('')
            // Full but for a character that would have been cut.
            const following = [...(parts[n + 1] ?? '')][0]
            if (following !== undefined) expect(isGsm ? naive(part + following)[0] : part.length + following.length).toBeGreaterThan(each)
          })
      }),
    )
  })
})

describe('a rendered text message', () => {
  it('has its values as they are', () => {
    expect(renderSms('Hi {{name|you}}: {{x}}', mergeValues(null, { x: `<b>&"'` }))).toBe(`Hi you: <b>&"'`)
  })

  it('is refused when nothing is left of it, or too much', () => {
    const values = mergeValues(null, { x: 'x'.repeat(1_600), y: 'y'.repeat(99_000) })
    expect(renderSms('{{x}}', values)).toHaveLength(1_600)
    for (const template of ['{{x}}.', '{{y}}{{y}}', 'z'.repeat(1_601)])
      expect(() => renderSms(template, values)).toThrow(refused('content_too_long'))
    for (const template of ['', '  {{none}}\n']) expect(() => renderSms(template, values)).toThrow(refused('content_empty'))
    expect(() => checkedSmsBody(' ')).toThrow(refused('content_empty'))
  })

  it('is what a naive replacement gives, within its bounds', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (before, value) => {
        const text = before.replace(/[{}]/g, '')
        const expected = `${text}!${value.trim() === '' ? 'none' : value}`
        expect(renderSms(`${text}!{{v|none}}`, mergeValues(null, { v: value }))).toBe(expected)
      }),
    )
  })
})

describe('a reply', () => {
  it('means something when its whole text is a keyword', () => {
    for (const text of ['STOP', 'stop', ' Stopall\n', 'unsubscribe', 'cancel', 'end', 'quit']) expect(smsKeyword(text)).toBe('stop')
    for (const text of ['START', 'yes', 'Unstop']) expect(smsKeyword(text)).toBe('start')
    expect(smsKeyword('help')).toBe('help')
    for (const text of ['', 'stop it', 'do not stop', 'yes please', 'constructor']) expect(smsKeyword(text)).toBeNull()
  })

  it.each([
    [
      'Revoke',
      'optout',
      'Opt Out',
      'OPT-OUT',
      'opt\u2011out',
      'opt\u00a0 out',
      'Arret',
      'ARRÊT',
      'arrêt'.normalize('NFD'),
      'הסר',
      'הסירו!',
    ],
    [
      'STOP.',
      '"stop"',
      '«Stop»',
      '„stop“',
      '(STOP)',
      '…stop…',
      'STOP!!1'.slice(0, 6),
      'stop\ufe0f',
      '🛑 STOP 🛑\ufe0f',
      "'stop'",
      '*stop*',
    ],
    ['\u200fSTOP\u200e', '\u202bהסר\u202c', '\u2067הסר\u2069.', 'ST\u200bOP', '\ufeffstop', 'הֹסָר', 'S\u00adTOP'],
    ['STOP STOP', 'Stop. Stop.', 'STOP\nSTOP\nstop', 'stop!!! stop!!!', 'opt out, opt out', 'stopstop', 'הסר הסר'],
    ['S.T.O.P', 's.t.o.p.', 'opt.out', 'opt/out', 'S/T/O/P', 'S.T.O.P S.T.O.P', `STOP${' '.repeat(170)}`, `${'\n'.repeat(300)}stop`],
    ['ＳＴＯＰ', 'ｓｔｏｐ．', 'stop ', '\tUnsubscribe\r\n', 'ｏｐｔ－ｏｕｔ', '𝐒𝐓𝐎𝐏', 'ſtop'],
  ])('withdraws in other words, whatever is around it: %s …', (...texts) => {
    for (const text of texts) expect([text, smsKeyword(text)]).toEqual([text, 'stop'])
  })

  it('means nothing where the word is part of others, or is decorated to another word', () => {
    const others = [
      'stop it',
      'the end',
      'opt',
      'out',
      'no',
      'stopp',
      'הסר אותי',
      'stop 1',
      'quit?yes',
      `stop${'.'.repeat(200)}`,
      'stop start',
      'stopstops',
      'please STOP texting me',
      'end/user',
      '🛑',
      '…',
    ]
    for (const text of others) expect([text, smsKeyword(text)]).toEqual([text, null])
    expect([smsKeyword('yes!'), smsKeyword('“Start”'), smsKeyword('UNSTOP.'), smsKeyword('help?')]).toEqual([
      'start',
      'start',
      'start',
      'help',
    ])
  })

  it('withdraws in the words of the workspace too, written as people write them', () => {
    const words = ['Basta', 'keine Werbung', 'बंद', 'отписаться']
    for (const text of ['basta!', 'BASTA', 'Keine-Werbung.', 'बंद', 'ОТПИСАТЬСЯ'])
      expect([text, smsKeyword(text, words)]).toEqual([text, 'stop'])
    expect([smsKeyword('basta, basta', words), smsKeyword('bye', ['bye bye']), smsKeyword('bye bye', ['bye bye'])]).toEqual([
      'stop',
      null,
      'stop',
    ])
    for (const text of ['basta', 'बद']) expect([text, smsKeyword(text, text === 'basta' ? [] : words)]).toEqual([text, null])
  })
})
