import { expect, it } from 'vitest'
import { spokenLanguage } from '../src/spoken-language.ts'

it.each([
  ['IL', 'he'],
  ['il', 'he'],
  ['US', 'en'],
  ['DE', 'de'],
  ['BR', 'pt'],
  ['ZZ', 'en'],
  ['', 'en'],
  ['Israel', 'en'],
])('in %s a call speaks %s', (country, language) => {
  expect(spokenLanguage(country)).toBe(language)
})
