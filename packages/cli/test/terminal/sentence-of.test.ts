import { Busy } from '@tidings/commands'
import { OperationFailed } from '@tidings/config'
import { LogWentBack, Unavailable } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { sentenceOf } from '../../src/terminal/sentence-of.ts'

const withCode = (message: string, facts: Readonly<Record<string, string>>): Error => Object.assign(new Error(message), facts)
const away = (message: string): string => `The log or the database does not answer (${message}): run the command again when it does.`

test.each([
  ['an append without an answer', new Unavailable('connect ECONNREFUSED 127.0.0.1:2113; whether it was written is unknown')],
  ['a log that went back', new LogWentBack('the log ends at 5')],
  ['a lost connection to Postgres', new Error('Connection terminated unexpectedly')],
  ['a Postgres that is away', withCode('connect ENOENT /data/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect', address: '/data' })],
])('%s is one sentence', (_, error) => expect(sentenceOf(error)).toBe(away(error.message)))

test.each([
  ['a full disk', '53100', 'could not extend file', 'the disk is full (could not extend file). Make room on it: '],
  [
    'a Postgres that stops',
    '57P01',
    'terminating connection',
    'Postgres is starting or stopping (terminating connection). Wait until it runs.',
  ],
])('%s says how to mend it', (_, code, message, said) =>
  expect(sentenceOf(withCode(message, { code }))).toContain(`It cannot go on: ${said}`),
)

test('what is written for the operator stays as it is', () => {
  expect(sentenceOf(new OperationFailed('There is no such list.'))).toBe('There is no such list.')
})

test.each([
  ['a fault of the program', new TypeError('x is not a function')],
  ['a file that is missing', withCode("ENOENT: no such file, open 'x'", { code: 'ENOENT', syscall: 'open', path: 'x' })],
  ['a command that others kept from running', new Busy('the stream stayed contended')],
])('%s shows where it came from', (_, error) => expect(sentenceOf(error)).toBe(error.stack))
