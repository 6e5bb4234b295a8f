import { readFileSync } from 'node:fs'
import { ROOT } from '../markdown.ts'

const GROUPS = ['append', 'idempotency', 'batches', 'concurrency', 'read', 'subscribing', 'recovery']
const TITLE = /\b(describe|test)(?:\.each\([\s\S]*?\](?: as const)?\))?\(\s*(['`])((?:\\.|(?!\2)[\s\S])*)\2/g

const plain = (title: string): string =>
  title
    .replace(/\$\{[^}]*\? '([^']*)' : '([^']*)'\}/g, '$1 / $2')
    .replace(/\$\{[^}]*\}/g, '…')
    .replace(/%[dsj]/g, '…')
    .replace(/`/g, '')

/** The capabilities that each adapter declares, from the one file that has the table. */
export function capabilities(): string {
  const [found] = /^\| capability[\s\S]*?\n(?!\|)/m.exec(readFileSync(`${ROOT}packages/event-store/README.md`, 'utf8')) ?? []
  if (found === undefined) throw new Error('packages/event-store/README.md has no table of capabilities')
  return found
}

/** The scenarios by group, as the suite's own titles tell them. */
export function scenarios(): string {
  const groups = new Map<string, Set<string>>()
  for (const file of GROUPS) {
    const source = readFileSync(`${ROOT}packages/event-store/test/contract/${file}.ts`, 'utf8')
    let group = ''
    for (const [, kind, , title = ''] of source.matchAll(TITLE)) {
      if (kind === 'describe') {
        group = /^[A-F] /.test(title) ? title : group
        continue
      }
      if (title !== '%s') groups.set(group, (groups.get(group) ?? new Set()).add(plain(title)))
    }
  }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, titles]) => `### ${group}\n\n${[...titles].map((title) => `- ${title}`).join('\n')}`)
    .join('\n\n')
}
