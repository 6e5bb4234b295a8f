import { inNfc } from '@tidings/domain'

type Searched = Readonly<{ email: string | null; phone: string | null; first_name: string | null; last_name: string | null }>

/** What a search looks through: `text` in lower case; `code` the same in ASCII, null where `text` is ASCII already. */
export type SearchText = Readonly<{ text: string; code: string | null }>

/** The separator of two fields. No folded text holds it, so no match begins in one field and ends in the next. */
const SEPARATOR = '\u{1}'

/** The fields of a profile that a search looks through (G30), as `read.profile_search` has them. */
export function searchTextOf({ email, phone, first_name, last_name }: Searched): SearchText {
  const fields = [email, phone, first_name, last_name].filter((field) => field !== null)
  return inBothForms(fields.map(folded).join(SEPARATOR))
}

/** What is searched for: `text` as the profile has it, but for its sigmas, which are all `σ`; `codes` in ASCII what stands between these. */
export type SoughtText = Readonly<{ text: string; codes: readonly string[] }>

/**
 * Found in a profile where its `text` is a part of the profile's. Greek has two small letters for one large, and the table keeps both: so a `ς` of the
 * table counts as `σ`, and any one character of its code as that of a sigma.
 */
export function soughtText(search: string): SoughtText {
  const text = folded(search).replaceAll('ς', 'σ')
  return { text, codes: text.split('σ').map((part) => inBothForms(part).code ?? part) }
}

const inBothForms = (text: string): SearchText => ({ text, code: OTHER.test(text) ? text.replace(EVERY_OTHER, coded) : null })

const OTHER = /\P{ASCII}/u
const EVERY_OTHER = /[^\p{ASCII}]/gu

/** One character for one, whatever stands beside it, so that a part of a text is a part of the folded text: no final sigma, no dot on its own. */
const folded = (text: string): string => {
  if (!OTHER.test(text)) return text.toLowerCase().replaceAll(SEPARATOR, '\u{2}')
  return inNfc(text).replaceAll('Σ', 'σ').replaceAll('İ', 'i').toLowerCase().replaceAll(SEPARATOR, '\u{2}')
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * pg_trgm knows letters by the locale of the database: under `C`, as in the embedded server, a Hebrew or Cyrillic name has none and so no
 * trigrams. Neighbours in Unicode get different letters here, so that a code is nearly as telling as its text. The letters are large, those of a
 * folded text small: what is sought in ASCII is found in a code just where it is in the text.
 */
const coded = (character: string): string => LETTERS.charAt((character.codePointAt(0) ?? 0) % LETTERS.length)
