import ts from 'typescript'
import type { Finding } from './find-words.ts'
import { lineOf, parse } from './source.ts'

const OF_TESTS = /\.(test|testing)\.ts$|\/(testing|contract)\/|^test\/(e2e|chaos)\//
const LONG_ENOUGH_MS = 60_000

/** A wait of Vitest's own that ends early, as it does by itself after a second: a machine that is busy takes longer. */
const isShortWait = (node: ts.Node, source: ts.SourceFile): boolean => {
  if (!ts.isCallExpression(node) || !/^vi\.wait(For|Until)$/.test(node.expression.getText(source))) return false
  const timeout = /\btimeout: ([\w.]+)/.exec(node.arguments[1]?.getText(source) ?? '')?.[1]
  return timeout === undefined || Number(timeout.replaceAll('_', '')) < LONG_ENOUGH_MS
}

/** SQL about the whole server, which every test file of a run shares. */
const isOfWholeServer = (node: ts.Node, source: ts.SourceFile): boolean => {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false
  const text = node.getText(source)
  return /\bfrom pg_(stat_activity|locks)\b/.test(text) && !/\bdatname\b|\bpid = |\(a\.pid\)|\busename\b/.test(text)
}

/** Where a test, or what tests are made with, would fail on a busy machine or meddle with the tests beside it. */
export function findTestIdioms(file: string, text: string): Finding[] {
  return [...astray(file), ...unsound(file, text)]
}

/** What only tests load, among what ships. */
const astray = (file: string): Finding[] =>
  /(^|\/)src\/(.*\.(test|testing)\.ts$|(.*\/)?testing\/)/.test(file)
    ? [{ file, line: 1, message: 'a test stands in the folder `test` of its part, in the same folders as in `src`' }]
    : []

const unsound = (file: string, text: string): Finding[] => {
  if (!OF_TESTS.test(file) || file.startsWith('test/style/') || !/vi\.wait(For|Until)|from pg_(stat_activity|locks)\b/.test(text)) return []
  const source = parse(file, text)
  const found: Finding[] = []
  const walk = (node: ts.Node): void => {
    const line = lineOf(source, node)
    if (isShortWait(node, source))
      found.push({ file, line, message: 'a test waits with `until` of @tidings/testing, or for 60 s at least' })
    if (isOfWholeServer(node, source))
      found.push({ file, line, message: 'a test asks Postgres about its own database: and datname = current_database()' })
    ts.forEachChild(node, walk)
  }
  walk(source)
  return found
}
