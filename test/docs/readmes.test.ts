import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT, readPage } from './markdown.ts'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
const readmes = files.filter((file) =>
  /^(?:packages\/[\w-]+|domain|consumers|projectors|command-api|query-api|dashboard-api)\/README\.md$/.test(file),
)

/** The calls that a page shows: `f` of `f(a)`, and `.g` of `x.g(…)`. */
const callsOf = (page: string): readonly string[] =>
  [...page.matchAll(/`[^`\n]*`/g)].flatMap(([code]) => [...code.matchAll(/(\.?[A-Za-z]\w*)\(/g)].map(([, name = '']) => name))

const sourcesBeside = (readme: string): string => {
  const folder = readme.slice(0, -'README.md'.length)
  return files
    .filter((file) => file.startsWith(folder) && /\.(?:ts|mjs)$/.test(file))
    .map(readPage)
    .join('\n')
}

/** A function of this name that is declared or called; of `.g`, a method: a local function is none. */
const functionOf = (name: string): RegExp =>
  name.startsWith('.')
    ? new RegExp(`\\b${name.slice(1)}\\??: (?:async )?[(<]|\\${name}(?:<[^()]*>)?\\(|^ +(?:async )?${name.slice(1)}\\(`, 'm')
    : new RegExp(`\\b${name}\\b(?:\\??: [(<]| = (?:async )?[(<]|(?:<[^()]*>)?\\()`)

const unknownCalls = (page: string, sources: string): readonly string[] => callsOf(page).filter((name) => !functionOf(name).test(sources))

it.each(readmes)('%s shows only calls that its sources have', (readme) => {
  expect(unknownCalls(readPage(readme), sourcesBeside(readme))).toEqual([])
})

it('a call that the sources do not have is named', () => {
  const sources = `export function make<T>() {}
const shape = (a) => a
type Flow = { program: (id: string) => void; definition: string }
class Queue {
  take() {}
}
const definition = () => 1
f(flow.definition, definition())`
  const page = '`make(x)` gives `flows.program(…)`, `shape(a)`, `queue.take()` and `flows.definition(…)`; `gone()`, `nothing` too'
  expect(unknownCalls(page, sources)).toEqual(['.definition', 'gone'])
})

const unlisted = (names: readonly string[], page: string): readonly string[] => names.filter((name) => !readPage(page).includes(`(${name}`))

it('every package is in the list of packages', () => {
  const packages = files.flatMap((file) => /^packages\/([\w-]+\/)package\.json$/.exec(file)?.[1] ?? [])
  expect(packages.length).toBeGreaterThan(10)
  expect(unlisted(packages, 'packages/README.md')).toEqual([])
})

it('every decision, how-to and explanation is in the list of its folder', () => {
  const pagesIn = (folder: string): readonly string[] =>
    files
      .filter((file) => file.startsWith(folder) && file.endsWith('.md') && !file.endsWith('README.md'))
      .map((file) => file.slice(folder.length))
  expect(unlisted(pagesIn('docs/adr/'), 'docs/adr/README.md')).toEqual([])
  expect(unlisted(pagesIn('docs/how-to/'), 'docs/how-to/README.md')).toEqual([])
  expect(
    unlisted(
      pagesIn('docs/explanation/').map((page) => `explanation/${page}`),
      'docs/README.md',
    ),
  ).toEqual([])
})
