import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastLine } from '../../src/embedded/initdb.ts'

const AT = '2026-11-26 10:00:00.000 UTC [4711]'
const HINT = 'This error usually means that the request exceeded available memory. To reduce it, perhaps reduce "shared_buffers".'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-log-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  [
    'the line that ended it, and not the hint behind it',
    [
      `${AT} FATAL:  could not map anonymous shared memory: Cannot allocate memory`,
      `${AT} HINT:  ${HINT}`,
      `${AT} LOG:  database system is shut down`,
    ],
    'could not map anonymous shared memory: Cannot allocate memory',
  ],
  [
    'what initdb says of itself',
    [
      'The files belonging to this database system will be owned by user "a".',
      'initdb: error: could not create directory "/b": No space left',
    ],
    'could not create directory "/b": No space left',
  ],
  ['the last line, where none is an error', ['postgres: begins', 'Killed'], 'Killed'],
  ['that there is none', [], 'it said nothing'],
])('of the log of a server that ended the operator reads %s', async (_, lines, reason) => {
  await writeFile(join(folder, 'log'), lines.map((line) => `${line}\n`).join(''))
  expect(await lastLine(join(folder, 'log'))).toBe(reason)
})
