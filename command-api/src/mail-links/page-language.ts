import type { FastifyRequest } from 'fastify'

export type PageLanguage = 'en' | 'he'

/** Picks the language by the first subtag (BCP 47); `iw` is the old name of Hebrew, which some browsers still send. */
const LANGUAGES: Readonly<Record<string, PageLanguage>> = { en: 'en', he: 'he', iw: 'he' }

const languageOf = (tag: string): PageLanguage | undefined => {
  const [subtag = ''] = tag.trim().toLowerCase().split(/[-_]/, 1)
  return Object.hasOwn(LANGUAGES, subtag) ? LANGUAGES[subtag] : undefined
}

/** A header has a dozen at the most. */
const MAX_RANGES = 20

/** The first of the languages that an `Accept-Language` prefers and there are pages in (RFC 9110 §12.5.4). */
const acceptedOf = (header: string): PageLanguage | undefined => {
  const ranges = header.split(',', MAX_RANGES).map((range) => {
    const [tag = '', ...parameters] = range.split(';')
    const weight = parameters.map((parameter) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]).find(Boolean)
    return { language: languageOf(tag), weight: Number(weight ?? 1) }
  })
  const known = ranges.filter(({ language, weight }) => language !== undefined && weight > 0)
  return known.toSorted((one, other) => other.weight - one.weight)[0]?.language
}

/** The language of a page that a recipient sees: that of the contact, else one that the browser asks for, else English (M51). */
export function pageLanguage({ headers }: Pick<FastifyRequest, 'headers'>, locale: string | null = null): PageLanguage {
  return languageOf(locale ?? '') ?? acceptedOf(headers['accept-language'] ?? '') ?? 'en'
}
