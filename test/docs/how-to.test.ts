import { program } from '@tidings/cli'
import { projections } from '@tidings/projectors'
import { parseWorkspaceFile, WorkspaceFile } from '@tidings/provisioning/workspace-file'
import { expect, it } from 'vitest'
import { blocksOf, markdownFiles, readPage } from './markdown.ts'

type Command = ReturnType<typeof program>

const commandsShown = markdownFiles().flatMap((page) =>
  blocksOf(readPage(page)).flatMap(({ text }) =>
    [...text.matchAll(/tidings -- ([a-z][^\n|>]*)/g)].map(([, line = '']) => ({ page, line: line.trim() })),
  ),
)

/** The command that the words name, or undefined where one of them is neither a command nor an argument it takes. */
const commandOf = (words: readonly string[], from: Command = program()): Command | undefined => {
  const [first = '', ...rest] = words
  if (from.commands.length === 0) return from
  const next = from.commands.find((command) => command.name() === first)
  return next && commandOf(rest, next)
}

it.each(commandsShown)('$page shows a command that exists: $line', ({ line }) => {
  const words = line.split(/\s+/)
  const command = commandOf(words)
  const options = new Set(command?.options.flatMap(({ long, short }) => [long, short]))
  expect(command?.name()).toBeDefined()
  expect(words.filter((word) => word.startsWith('-') && word !== '-' && !options.has(word))).toEqual([])
})

it('the workspace file of the how-to is taken, and uses every section that is', () => {
  const [yaml] = blocksOf(readPage('docs/how-to/provision-a-workspace.md')).filter(({ language }) => language === 'yaml')
  expect(Object.keys(parseWorkspaceFile(yaml?.text ?? '')).sort()).toEqual(Object.keys(WorkspaceFile.properties).sort())
})

it('the how-to names every projection', () => {
  const page = readPage('docs/how-to/rebuild-a-projection.md')
  expect(projections.filter(({ name }) => !page.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([])
})
