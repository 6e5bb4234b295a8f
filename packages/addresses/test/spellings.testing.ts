import fc from 'fast-check'
import { asciiDomain } from '../src/domain-name.ts'

/** Two spellings of one thing. */
export type Spellings = Readonly<{ one: string; other: string }>

const WORDS = ['ada', 'grace', 'zoë', 'ñandú', 'straße', 'søren', 'νίκος', 'юля', 'ẹ̀kọ́', 'דנה', 'がぎぐ', 'ångström', 'i̇pek', 'ﬁona', 'ệ']
const LABELS = ['münchen', 'bücher', 'faß', 'δοκιμή', 'пример', 'דואר', 'みんな', 'क्‍ष', 'gmail', 'shop', 'r3---sn', 'ñandú', 'ệ']
const FULL_WIDTH = 0xfee0

const number = fc.integer({ min: 1, max: 10 ** 9 })

/** Spellings that NFC and lower case make equal. */
const local = (base: string) =>
  fc.constantFrom(base.normalize('NFC'), base.normalize('NFD'), inCapitals(base), inCapitals(base.normalize('NFD')))

/** Leaves out letters whose capital is another letter: `ß`, `ﬁ` and a final sigma have none of their own. */
const inCapitals = (text: string): string =>
  [...text].map((one) => (one.toUpperCase().toLowerCase() === one && !'ıſςσ'.includes(one) ? one.toUpperCase() : one)).join('')

const fullWidth = (text: string): string =>
  [...text].map((one) => (/[!-~]/.test(one) ? String.fromCodePoint((one.codePointAt(0) ?? 0) + FULL_WIDTH) : one)).join('')

const domain = (base: string) =>
  fc.constantFrom<string>(
    ...[base.normalize('NFC'), base.normalize('NFD'), asciiDomain(base), asciiDomain(base).toUpperCase(), inCapitals(base)],
    ...[base.replace('.', '。'), base.replace('.', '．'), fullWidth(base.normalize('NFC')), base.replace('.', '\u00ad.'), `${base}\u200b`],
  )

const around = fc.constantFrom('', ' ', '\t', '\u00a0', '\ufeff')

/** Two spellings of an address that nothing else of this run has. */
export const twoSpellingsOfAnEmail: fc.Arbitrary<Spellings> = fc
  .record({ word: fc.constantFrom(...WORDS), label: fc.constantFrom(...LABELS), n: number, gap: around })
  .chain(({ word, label, n, gap }) => {
    const spelled = fc.tuple(local(`${word}.${n}`), domain(`${label}.example`)).map(([name, host]) => `${gap}${name}@${host}`)
    return fc.record({ one: spelled, other: spelled })
  })

const ZEROS = ['0', '٠', '۰', '０', '०', '𝟎', '𝟘'] as const
const BETWEEN = [
  ...' -./\u00a0\u202f\u3000\u2009\u2011\u2010\u2013\u2212\uff0d\uff0f\u200e\u200f\u202a\u202c\u2066\u2069\u200b\u2060\ufeff\u00ad\u2028',
]

const spelledDigits = (digits: string): fc.Arbitrary<string> =>
  fc
    .array(fc.record({ zero: fc.constantFrom(...ZEROS), gap: fc.string({ unit: fc.constantFrom(...BETWEEN), maxLength: 1 }) }), {
      minLength: digits.length,
      maxLength: digits.length,
    })
    .map((each) => each.map(({ zero, gap }, at) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digits[at])) + gap).join(''))

const israelCode = fc.constantFrom('+972', '00972', '＋972', '+972 (0)', '+972（0）', '+9720', '00972(0)', '\u202a+972\u202c', '+٩٧٢')

/** Two spellings of an Israeli mobile number, each short enough for the API. */
export const twoSpellingsOfAMobile: fc.Arbitrary<Spellings> = fc.integer({ min: 10_000_000, max: 99_999_999 }).chain((n) => {
  const spelled = fc
    .tuple(israelCode, spelledDigits(`5${n}`))
    .map((parts) => parts.join(''))
    .filter((text) => text.length <= 32)
  return fc.record({ one: spelled, other: spelled })
})

/** What people and programs put where an address belongs: few of them are one. */
export const awkwardEmail: fc.Arbitrary<string> = fc.oneof(
  twoSpellingsOfAnEmail.map(({ one }) => one),
  fc
    .tuple(
      awkward(12),
      fc.constantFrom('@', '＠', '@@', '', '%40', '@\u200b'),
      awkward(20),
      fc.constantFrom('.de', '。рф', '.', '', '.xn--p1ai', '.xn--a'),
    )
    .map((all) => all.join('')),
  awkward(330),
)

/** The same of numbers. */
export const awkwardNumber: fc.Arbitrary<string> = fc.oneof(
  twoSpellingsOfAMobile.map(({ one }) => one),
  fc.string({ unit: fc.constantFrom(...ZEROS, ...'123456789+()＋（）;x#', ...BETWEEN), maxLength: 32 }),
  awkward(40),
)

/** Text of what Unicode makes hard: marks in any order, joiners, overrides, cases that are no pairs, what NFC makes longer. */
export function awkward(maxLength: number): fc.Arbitrary<string> {
  const units = [
    ...'aZ0._-+%@"(\\\u0000\u007f\u0085\u00ad\u0130\u0131\u017f\u1e9eßςΣǅﬁﬃ\u0345\u0308\u0301\u093c\u0958\ufb1d\u{1d160}\u200b\u200c\u200d\u200e\u202e\u2066\u2028\u2060\ufeff\ufe0f\u037e\u212a\u1fef\u3000。．＠ｇ𝕘אب٠क्☃💩🏴\u{e0001}\u0378\uffff',
  ]
  return fc.string({ unit: fc.oneof(fc.constantFrom(...units), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })), maxLength })
}
