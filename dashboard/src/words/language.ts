export const LANGUAGES = ['en', 'he'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each in its own words. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', he: 'עברית' }

const isLanguage = (text: string | null): text is Language => LANGUAGES.some((one) => one === text)

/** The language chosen before, else the first that the browser asks for and we have, else English. `iw` is what old browsers call Hebrew. */
export function languageFor(chosen: string | null, wanted: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen
  const tags = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '').map((tag) => (tag === 'iw' ? 'he' : tag))
  return tags.find(isLanguage) ?? 'en'
}
