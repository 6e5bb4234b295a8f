import ts from 'typescript'
import { parse } from './source.ts'

/** The text of one comment, line by line, without its marks. Neighbouring `//` lines, and `--` lines of SQL, are one comment. */
export type Comment = Readonly<{ line: number; texts: readonly string[] }>

type Range = Readonly<{ from: number; to: number }>

/** Every comment of a TypeScript or JavaScript file, by its syntax: text in strings, templates and patterns is no comment. */
const rangesOfTypeScript = (file: string, text: string): readonly Range[] => {
  const source = parse(file, text)
  const found = new Map<number, Range>()
  const note = (ranges: readonly ts.CommentRange[] | undefined) => {
    for (const { pos, end } of ranges ?? []) found.set(pos, { from: pos, to: end })
  }
  const walk = (node: ts.Node): void => {
    const children = node.getChildren(source)
    for (const child of children) walk(child)
    if (children.length > 0) return
    note(ts.getLeadingCommentRanges(text, node.getFullStart()))
    if (node.end > node.getStart(source)) note(ts.getTrailingCommentRanges(text, node.end))
  }
  walk(source)
  return [...found.values()].sort((one, other) => one.from - other.from)
}

/** Comments in the body of a function count too: only quoted texts and names are passed over. */
const SQL_TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g

const rangesOfSql = (text: string): readonly Range[] =>
  [...text.matchAll(SQL_TOKEN)].flatMap(({ 0: token, index }) => (/^['"]/.test(token) ? [] : [{ from: index, to: index + token.length }]))

const isLineComment = (text: string, { from }: Range): boolean => /^(?:\/\/|--)/.test(text.slice(from, from + 2))

/** A line comment that has only blanks and one line break before it, and a line comment before these, goes on with that one. */
const continues = (text: string, before: Range, range: Range): boolean =>
  isLineComment(text, before) && isLineComment(text, range) && /^\r?\n[ \t]*$/.test(text.slice(before.to, range.from))

const withoutMarks = (line: string): string => line.replace(/^\s*(?:\/\*+|\*(?!\/)|\/\/+|--+)?\s?/, '').replace(/\s*\*+\/\s*$/, '')

/** All comments of a file, in its order. */
export function commentsOf(file: string, text: string): readonly Comment[] {
  const ranges = file.endsWith('.sql') ? rangesOfSql(text) : rangesOfTypeScript(file, text)
  const comments: { line: number; texts: string[] }[] = []
  for (const [n, range] of ranges.entries()) {
    const lines = text.slice(range.from, range.to).split('\n').map(withoutMarks)
    const before = ranges[n - 1]
    if (before !== undefined && continues(text, before, range)) comments.at(-1)?.texts.push(...lines)
    else comments.push({ line: text.slice(0, range.from).split('\n').length, texts: lines })
  }
  return comments
}
