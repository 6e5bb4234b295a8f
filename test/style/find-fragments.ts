import { commentsOf } from './comments.ts'
import type { Finding } from './find-words.ts'

/** Words that begin a fragment, or a sentence that a reader has to turn round. */
const OPENERS = 'Of|Who|Whom|Whose|What was|What were|Where nothing'
const AT_START = new RegExp(`^(?:${OPENERS})\\b`, 'i')
const WITHIN = new RegExp(`(?<=[.!?] +)(?:${OPENERS})\\b`, 'g')
const ENDS_SENTENCE = /[.!?][)'"`]?\s*$/
/** A file without any of them need not be parsed. */
const ANY = new RegExp(`(?:[.!?*/-]\\s*)(?:${OPENERS})\\b`, 'i')

const openersOf = (text: string, beginsSentence: boolean): readonly string[] => [
  ...(beginsSentence ? (AT_START.exec(text) ?? []) : []),
  ...(text.match(WITHIN) ?? []),
]

/** Where a comment of TypeScript, JavaScript or SQL has a sentence that begins with one of these words: subject, verb, fact. */
export function findFragments(file: string, text: string): readonly Finding[] {
  if (!/\.(?:ts|mjs|js|sql)$/.test(file) || !ANY.test(text)) return []
  return commentsOf(file, text).flatMap(({ line, texts }) =>
    texts.flatMap((part, n) => {
      const before = texts[n - 1]?.trim() ?? ''
      const beginsSentence = before === '' || ENDS_SENTENCE.test(before)
      return openersOf(part, beginsSentence).map((words) => ({
        file,
        line: line + n,
        message: `a sentence of a comment begins with "${words}": say subject, verb, fact`,
      }))
    }),
  )
}
