import { commentsOf } from './comments.ts'
import type { Finding } from './find-words.ts'
import { proseOf } from './prose.ts'

/** Words that begin a fragment, or a sentence that a reader has to turn round. */
const OPENERS = 'Of|Who|Whom|Whose|What was|What were|Where nothing'
const AT_START = { comment: new RegExp(`^(?:${OPENERS})\\b`, 'i'), page: new RegExp(`^(?:${OPENERS})\\b`) }
const WITHIN = new RegExp(`(?<=[.!?] +)(?:${OPENERS})\\b`, 'g')
const ENDS_SENTENCE = /[.!?][)'"`]?\s*$/
/** A file without any of them need not be parsed. */
const ANY = new RegExp(`(?:[.!?*/-]\\s*)(?:${OPENERS})\\b`, 'i')

/** A cell of a page's table may begin with a small letter: it is no sentence. */
const openersOf = (text: string, kind: keyof typeof AT_START, beginsSentence: boolean): readonly string[] => [
  ...(beginsSentence ? (AT_START[kind].exec(text) ?? []) : []),
  ...(text.match(WITHIN) ?? []),
]

/** Where a comment of TypeScript, JavaScript or SQL, or a page, has a sentence that begins with one of these words: subject, verb, fact. */
export function findFragments(file: string, text: string): readonly Finding[] {
  const isPage = file.endsWith('.md')
  if (!isPage && (!/\.(?:ts|mjs|js|sql)$/.test(file) || !ANY.test(text))) return []
  const kind = isPage ? 'page' : 'comment'
  return (isPage ? proseOf(text) : commentsOf(file, text)).flatMap(({ line, texts }) =>
    texts.flatMap((part, n) => {
      const before = texts[n - 1]?.trim() ?? ''
      const beginsSentence = before === '' || ENDS_SENTENCE.test(before)
      return openersOf(part, kind, beginsSentence).map((words) => ({
        file,
        line: line + n,
        message: `a sentence of a ${kind} begins with "${words}": say subject, verb, fact`,
      }))
    }),
  )
}
