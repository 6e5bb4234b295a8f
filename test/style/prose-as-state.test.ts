import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** A condition on text that is for people; an assignment is none. */
const ON_LAST_ERROR = /\b(?:where|and|or|when|on|by|distinct)\b[^;\n]*\blast_error\b/i
/** A comparison with a sentence: at least three words, of which none is a keyword of SQL. */
const WITH_A_SENTENCE = /(?:[=!]==\s*|\.(?:startsWith|endsWith|includes)\()(['"`])[a-z]+(?: [a-z]+){2,}\1/

const compares = (line: string): boolean => ON_LAST_ERROR.test(line) || WITH_A_SENTENCE.test(line)

test.each([
  ['where kind = $1 and last_error = $3', true],
  ["and coalesce(last_error, '') not like all ($4)", true],
  ['select distinct j.last_error from inbox.job j', true],
  ["return reason === 'the answer to the message is missing'", true],
  ["if (said.startsWith('the campaign is')) return", true],
  ['set last_error = left(coalesce(d.error, j.last_error), 500)', false],
  ["block.deferredFor === 'quiet_hours'", false],
  ["log.info('the answer to the message is missing')", false],
])('%s: %s', (line, isOne) => {
  expect(compares(line)).toBe(isOne)
})

test('no decision of the queue compares sentences', () => {
  const folders = ['packages/jobs/src', 'packages/evidence/src', 'packages/backup-and-export/src', 'consumers/src', 'deploy/migrations']
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const files = listed.split('\n').filter((file) => /\.(ts|sql)$/.test(file) && !/\.(test|testing)\.ts$|\/testing\//.test(file))
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (compares(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})
