import { expect, it } from 'vitest'
import { en } from '../../src/words/en.ts'
import { he } from '../../src/words/he.ts'
import { languageFor } from '../../src/words/language.ts'

/** Every text, by its place; a function is called with what it is called with on a page. */
function textsOf(words: object, place = ''): readonly (readonly [string, string])[] {
  return Object.entries(words).flatMap(([name, value]: [string, unknown]) => {
    const here = `${place}${name}`
    if (typeof value === 'function') return [[here, String(value(3, 2, 1))] as const]
    return typeof value === 'object' && value !== null ? textsOf(value, `${here}.`) : [[here, String(value)] as const]
  })
}

it('has the same keys in each language, and says something under each', () => {
  expect(textsOf(he).map(([place]) => place)).toEqual(textsOf(en).map(([place]) => place))
  expect([...textsOf(en), ...textsOf(he)].filter(([, text]) => text.trim() === '' || /undefined|\[object/.test(text))).toEqual([])
})

it('is Hebrew in Hebrew, but for names', () => {
  const names = /^(direction|locale|nav\.webhooks|webhooks\.title|channels\.(sms|whatsapp)|senders\.kinds\.(spf|dkim|dmarc)|ui\.none)$/
  expect(textsOf(he).filter(([place, text]) => !names.test(place) && !/[\u0590-\u05ff]|^\D*\d+\D*$/.test(text))).toEqual([])
})

it('keeps what somebody typed apart from the sentence around it', () => {
  for (const { ui } of [en, he]) expect(ui.confirmWord('(נועה) a@b.example!')).toContain('\u2068(נועה) a@b.example!\u2069')
})

it.each([
  [null, ['he-IL', 'en'], 'he'],
  [null, ['iw'], 'he'],
  [null, ['fr-FR', 'he'], 'he'],
  [null, ['fr'], 'en'],
  [null, [], 'en'],
  ['he', ['en-US'], 'he'],
  ['klingon', ['he'], 'he'],
] as const)('speaks, where %s was chosen and the browser asks for %j: %s', (chosen, wanted, expected) => {
  expect(languageFor(chosen, wanted)).toBe(expected)
})
