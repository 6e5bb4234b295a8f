import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT, readPage } from './markdown.ts'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
const readmes = files.filter((file) => /^(?:packages\/[\w-]+|domain|consumers|projectors|command-api|query-api)\/README\.md$/.test(file))

/** The names of the calls that a page shows: `f` and `g` of `f(a)` and `x.g(…)`. */
const callsOf = (page: string): readonly string[] =>
  [...page.matchAll(/`[^`\n]*`/g)].flatMap(([code]) => [...code.matchAll(/([A-Za-z]\w*)\(/g)].map(([, name = '']) => name))

const sourcesBeside = (readme: string): string => {
  const folder = readme.slice(0, -'README.md'.length)
  return files
    .filter((file) => file.startsWith(folder) && /\.(?:ts|mjs)$/.test(file))
    .map(readPage)
    .join('\n')
}

const unknownCalls = (page: string, sources: string): readonly string[] =>
  callsOf(page).filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))

it.each(readmes)('%s shows only calls that its sources have', (readme) => {
  expect(unknownCalls(readPage(readme), sourcesBeside(readme))).toEqual([])
})

it('a call that the sources do not have is named', () => {
  expect(unknownCalls('`make(x)` gives it, `flows.definition(…)` its steps; (see `nothing`)', 'export function make() {}')).toEqual([
    'definition',
  ])
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
