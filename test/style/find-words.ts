import { forEachIdentifier, parse } from './source.ts'

type Scope = 'everywhere' | 'names' | 'files'
type Entry = Readonly<{ words: string; scope: Scope; say: string }>

/** The tables of `words.md`. `exempt`: paths that are not looked at; `kept`: names that others gave, as they are written. */
export type WordList = Readonly<{ entries: readonly Entry[]; exempt: readonly string[]; kept: readonly string[] }>

/** A refused word: where, and the plain one. */
export type Finding = Readonly<{ file: string; line: number; message: string }>

const rowsOf = (markdown: string): string[][] =>
  markdown
    .split('\n')
    .filter((line) => /^\| (?!refused|path|name)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** Reads the three tables: rows of three cells are words, rows of two are paths, or names between backticks. */
export function parseWordList(markdown: string): WordList {
  const rows = rowsOf(markdown)
  const entries = rows.filter((cells) => cells.length === 5).map(([, words, scope, say]) => ({ words, scope, say }) as Entry)
  const named = rows.filter((cells) => cells.length === 4).map((cells) => cells[1]!)
  const isName = (cell: string): boolean => cell.startsWith('`')
  return { entries, exempt: named.filter((cell) => !isName(cell)), kept: named.filter(isName).map((cell) => cell.slice(1, -1)) }
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
    const withoutKept = list.kept.reduce((rest, name) => rest.replaceAll(name, ''), text)
    for (const [index, line] of withoutKept.split('\n').entries()) at('text', line, index + 1)
    if (/\.m?[jt]s$/.test(file)) forEachIdentifier(parse(file, text), (name, line) => at('name', name, line))
    return found
  }
}
