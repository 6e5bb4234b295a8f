import { globSync, readFileSync } from 'node:fs'
import { program } from '@tidings/cli'
import { expect, it } from 'vitest'
import { markdownFiles, ROOT, readPage } from './markdown.ts'

const SOURCES = [
  'packages/*/src/**/*.ts',
  'projectors/src/**/*.ts',
  'consumers/src/**/*.ts',
  'command-api/src/**/*.ts',
  'query-api/src/**/*.ts',
  'dashboard-api/src/**/*.ts',
]

type Command = ReturnType<typeof program>

const PRINTED = /\\?`(?:npm run -s )?tidings (?:-- )?([a-z][^`\n]*?)\\?`/g

/** What is signed names its form so; that is no command. */
const SIGNED = / v\d+$/

/** Commands between backquotes: in sentences that a program prints, and in documents. */
const named = [
  ...globSync(SOURCES, { cwd: ROOT }).map((file) => ({ where: file, text: readFileSync(`${ROOT}${file}`, 'utf8') })),
  ...markdownFiles().map((page) => ({ where: page, text: readPage(page) })),
]
  .flatMap(({ where, text }) => [...text.matchAll(PRINTED)].map(([, line = '']) => ({ where, line: line.trim() })))
  .filter(({ line }) => !SIGNED.test(line))

/** The deepest command that the words name, and how many of them name it. */
const commandOf = (words: readonly string[], from: Command = program(), depth = 0): Readonly<{ command: Command; depth: number }> => {
  const next = from.commands.find((command) => command.name() === words[depth])
  return next === undefined ? { command: from, depth } : commandOf(words, next, depth + 1)
}

it('there are commands to look at', () => {
  expect(named.length).toBeGreaterThan(50)
})

it.each(named)('$where names a command that can be run: $line', ({ line }) => {
  const words = line.split(/[\s=]+/).filter((word) => word !== '' && word !== '…')
  const { command, depth } = commandOf(words)
  expect({ line, named: depth > 0 }).toEqual({ line, named: true })
  const given = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/[\]),.]+$/, ''))
  const known = command.options.flatMap(({ long, short }) => [long, short])
  expect({ line, unknown: given.filter((word) => !known.includes(word)) }).toEqual({ line, unknown: [] })
})

it.each(named.filter(({ where, line }) => where.endsWith('.ts') && line.includes(' --')))(
  '$where prints all that the command needs: $line',
  ({ line }) => {
    const { command } = commandOf(line.split(/\s+/))
    const needed = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long ?? '')
    expect({ line, missing: needed.filter((option) => !line.includes(option)) }).toEqual({ line, missing: [] })
  },
)
