import { forEachIdentifier, parse } from './source.ts'

type Scope = 'everywhere' | 'names' | 'files'
type Entry = Readonly<{ words: string; scope: Scope; say: string }>

/** The tables of `words.md`. `pattern` finds any refused words in a normalised text, `entryOf` says which they are. */
export type WordList = Readonly<{ entries: readonly Entry[]; exempt: readonly string[] }>

/** A refused word: where, and the plain one. */
export type Finding = Readonly<{ file: string; line: number; message: string }>

const rowsOf = (markdown: string): string[][] =>
  markdown
    .split('\n')
    .filter((line) => /^\| (?!refused|path)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** Reads the two tables: rows of three cells are words, rows of two are paths. */
export function parseWordList(markdown: string): WordList {
  const rows = rowsOf(markdown)
  const entries = rows.filter((cells) => cells.length === 5).map(([, words, scope, say]) => ({ words, scope, say }) as Entry)
  const exempt = rows.filter((cells) => cells.length === 4).map((cells) => cells[1]!)
  return { entries, exempt }
}

/** Lower-case words with one blank between them: `takeTurn`, `TAKE_TURN` and `take-turn` are all `take turn`. */
const normalise = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')

const patternOf = (entries: readonly Entry[]): RegExp => {
  const longestFirst = entries.map(({ words }) => words).sort((one, other) => other.length - one.length)
  return entries.length === 0 ? /^\b$/ : new RegExp(`\\b(?:${longestFirst.join('|')})\\b`, 'g')
}

const finder = ({ entries }: WordList) => {
  const sayOf = new Map(entries.map(({ words, say }) => [words, say]))
  const scoped = (...scopes: Scope[]) => patternOf(entries.filter(({ scope }) => scopes.includes(scope)))
  const patterns = { text: scoped('everywhere'), name: scoped('names'), file: scoped('everywhere', 'names', 'files') }
  return (kind: keyof typeof patterns, text: string): string[] =>
    (normalise(text).match(patterns[kind]) ?? []).map((words) => `"${words}": say ${sayOf.get(words)}`)
}

/** All refused words of one file: of its path, of every line, and of its identifiers where it is TypeScript. */
export function findWords(list: WordList): (file: string, text: string) => Finding[] {
  const find = finder(list)
  return (file, text) => {
    if (list.exempt.some((path) => file === path || (path.endsWith('/') && file.startsWith(path)))) return []
    const found = find('file', file).map((message) => ({ file, line: 1, message: `file name, ${message}` }))
    const at = (kind: 'text' | 'name', part: string, line: number) =>
      found.push(...find(kind, part).map((message) => ({ file, line, message })))
    for (const [index, line] of text.split('\n').entries()) at('text', line, index + 1)
    if (/\.m?[jt]s$/.test(file)) forEachIdentifier(parse(file, text), (name, line) => at('name', name, line))
    return found
  }
}
