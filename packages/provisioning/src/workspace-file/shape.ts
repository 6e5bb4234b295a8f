import { Lexer } from 'yaml'

/** A file needs about twenty. The parser takes a time that grows with the square of the depth. */
const MAX_DEPTH = 100

/** The parser looks for the anchor of an alias among all that is before it. */
const TOKENS_OF_ALIAS = 1_000

/** Else the parser compares each key of a map with all before it, and shows the line of each mistake, though it were a megabyte. */
export const IN_ONE_PASS = { uniqueKeys: false, prettyErrors: false } as const

/** What a text of YAML is refused for before it is parsed; null where it may be. */
export function shapeMistake(source: string, mostTokens: number): string | null {
  let [tokens, flow, line] = [0, 0, 0]
  for (const token of new Lexer().lex(source)) {
    tokens += token.startsWith('*') ? TOKENS_OF_ALIAS : 1
    if (tokens > mostTokens) return 'the file has too many values: apply it in parts'
    if (token === '[' || token === '{') flow++
    else if (token === ']' || token === '}') flow--
    // Lists in lists on one line: those below each other are as far to the right as they are deep.
    else if (token === '-' || token === '?') line++
    else if (token.startsWith('\n') || token.startsWith('\r')) line = 0
    if (flow + line > MAX_DEPTH) return 'the file nests too deep'
  }
  return null
}
