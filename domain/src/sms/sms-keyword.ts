const words = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'ARRET', 'הסר', 'הסירו'],
  start: ['START', 'YES', 'UNSTOP'],
  help: ['HELP', 'INFO'],
} as const

export type SmsKeyword = keyof typeof words

/** The longest keyword that a workspace may set. */
export const MAX_STOP_WORD = 40
export const MAX_STOP_WORDS = 50
/** Text that is looked at: a word with what people put around it. */
const MAX_LOOKED_AT = 4 * MAX_STOP_WORD

/** Marks that decorate a letter and make no other word of it: accents, and the points of Hebrew. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7]/g
/** Marks that are not seen: bidirectional ones, joiners, selectors of emoji. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
/** Punctuation, quotes, emoji and blanks at either end. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu
/** `OPT OUT`, `OPT-OUT` and `opt.out` are OPTOUT. */
const BETWEEN = /[\s\p{Pd}_./\u2024\u2044\u2215]+/gu
/** Everything between a word and its repetition. */
const NO_LETTERS = /[^\p{L}\p{N}]+/gu
const REPEATED = /^(.+?)\1+$/u

/** A text as it is compared with a keyword (M49): '' where it is too long to be one. */
export function keywordForm(written: string): string {
  const text = written.trim()
  if (text.length > MAX_LOOKED_AT) return ''
  const plain = text.normalize('NFKD').replace(ACCENTS, '').replace(UNSEEN, '').normalize('NFKC').toUpperCase()
  return plain.replace(AROUND, '').replace(BETWEEN, '')
}

const keywords = new Map<string, SmsKeyword>(
  (Object.keys(words) as SmsKeyword[]).flatMap((keyword) => words[keyword].map((word) => [keywordForm(word), keyword] as const)),
)

/**
 * The keyword that an inbound text message asks with, where its whole text is one of the words (N188, M49); else null. `stopWords`: those that its
 * workspace has beside them.
 */
export function smsKeyword(text: string, stopWords: readonly string[] = []): SmsKeyword | null {
  const form = keywordForm(text)
  if (form === '') return null
  // `STOP STOP`, however often.
  const once = REPEATED.exec(form.replace(NO_LETTERS, ''))?.[1] ?? form
  if (stopWords.map(keywordForm).some((word) => word === form || word === once)) return 'stop'
  return keywords.get(form) ?? keywords.get(once) ?? null
}
