import { expect, it } from 'vitest'
import { pageLanguage } from '../../src/mail-links/page-language.ts'

const languageFor = (acceptLanguage: string | undefined, locale: string | null = null) =>
  pageLanguage({ headers: { ...(acceptLanguage !== undefined && { 'accept-language': acceptLanguage }) } }, locale)

it.each([
  ['he', 'he'],
  ['he-IL,he;q=0.9,en-US;q=0.8', 'he'],
  ['iw', 'he'],
  ['en-US,en;q=0.9,he;q=0.8', 'en'],
  ['en;q=0.5, he;q=0.9', 'he'],
  ['fr-FR, he;q=0.5', 'he'],
  ['fr, de', 'en'],
  ['he;q=0', 'en'],
  ['hex', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [undefined, 'en'],
  [`${'x,'.repeat(100_000)}he`, 'en'],
] as const)('a browser that asks for %j gets a page in %s', (asked, language) => {
  expect(languageFor(asked)).toBe(language)
})

it.each([
  ['he', 'en', 'he'],
  ['he_IL', 'en', 'he'],
  ['en-GB', 'he', 'en'],
  ['fr', 'he', 'he'],
  ['__proto__', 'he', 'he'],
] as const)('a contact whose locale is %s, and whose browser asks for %s, gets a page in %s', (locale, asked, language) => {
  expect(languageFor(asked, locale)).toBe(language)
})
