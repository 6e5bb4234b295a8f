import { expect, test } from 'vitest'
import { isTransient } from '../src/transaction.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })

test.each([
  '08006',
  '08000',
  '57P01',
  '57P03',
  '40001',
  '40P01',
  '53000',
  '53100',
  '53200',
  '53300',
  '25006',
  'ECONNRESET',
  'ECONNREFUSED',
  'ENOENT',
])('%s may pass when it is tried again', (code) => {
  expect(isTransient(withCode(code))).toBe(true)
})

test.each(['23505', '22P02', '42P01', '57014', '53400', 'EACCES'])('%s will fail again', (code) => {
  expect(isTransient(withCode(code))).toBe(false)
})

test('what pg says without a code is known too, and what is no error is not', () => {
  expect(isTransient(new Error('Connection terminated unexpectedly'))).toBe(true)
  expect(isTransient(new Error('timeout exceeded when trying to connect'))).toBe(true)
  expect(isTransient(new Error('invalid input'))).toBe(false)
  expect(isTransient('ECONNRESET')).toBe(false)
})
