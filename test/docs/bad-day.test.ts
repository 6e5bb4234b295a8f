import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ROOT, readPage } from './markdown.ts'

const SOURCES = ['packages/*/src/**/*.ts', 'projectors/src/**/*.ts', 'consumers/src/**/*.ts']
const sources = globSync(SOURCES, { cwd: ROOT })
  .map((file) => readFileSync(`${ROOT}${file}`, 'utf8'))
  .join('\n')

/** The literal parts of the lines in the first column of a table: what is between the dots of an ellipsis. */
const literals = (page: string): readonly string[] =>
  [...readPage(page).matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line))
    .filter((line) => line.includes(' '))
    .flatMap((line) => line.split('…'))
    .map((part) =>
      part
        .trim()
        .replace(/^not ready: ?/, '')
        .replace(/:$/, '')
        .replace(/^\) /, ''),
    )
    .filter((part) => part.length > 3)

it.each(['docs/how-to/a-bad-day.md', 'docs/how-to/upgrade.md'].flatMap((page) => literals(page).map((line) => ({ page, line }))))(
  '$page leads by a line that is written: $line',
  ({ line }) => {
    expect(sources.includes(line) || line.split(': ').every((part) => sources.includes(part))).toBe(true)
  },
)
