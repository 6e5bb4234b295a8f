import { expect, it } from 'vitest'
import { parseWorkspaceFile } from '../../src/workspace-file/parse.ts'
import { lineOf } from '../../src/workspace-file/text.ts'

const FILE = `workspace:
  slug: acme
  name: Acme
templates:
  - name: one
    channel: email
  - name: two
    channel: sms
    body: Hi
`

it.each([
  ['templates[0].subject is missing', 5],
  ['templates[1].body: too long', 9],
  ['workspace.name shows nothing', 3],
  ['users[3].email: "x" is no email address', null],
  ['the file is not valid YAML', null],
  ['', null],
])('the line of "%s" is %s', (sentence, line) => {
  expect(lineOf(FILE, sentence)).toBe(line)
})

it('a file with more aliases than the parser looks up within a second is refused where it may not have so many values', () => {
  const aliases = (count: number) => `a: [${Array.from({ length: count }, (_, n) => `&a${n} 1, *a${n}`).join(', ')}]`
  const refusalOf = (text: string) => () => parseWorkspaceFile(text, { mostTokens: 100_000 })
  expect(refusalOf(aliases(8_000))).toThrow('the file has too many values: apply it in parts')
  expect(refusalOf(aliases(90))).toThrow('workspace is missing')
})

it.each([
  ['lists in lists', '['.repeat(100_000)],
  ['lists in lists on a line', '- '.repeat(100_000)],
  ['lists in lists with more between', '{ a: ['.repeat(100_000)],
  [
    'aliases of aliases',
    `a: &a [x, x]\n${Array.from({ length: 40 }, (_, n) => `b${n}: &b${n} [${n === 0 ? '*a, *a' : `*b${n - 1}, *b${n - 1}`}]`).join('\n')}`,
  ],
  ['a map with more keys than the parser compares with each other', `a: {${Array.from({ length: 33_000 }, (_, n) => `k${n}`).join(',')}}`],
  ['mistakes that the parser goes on behind', `a: "${'\\q'.repeat(450_000)}"`],
])('a file of %s is refused with a sentence', (_, text) => {
  expect(() => parseWorkspaceFile(text)).toThrow(/^(?:the file|workspace is missing)/)
})
