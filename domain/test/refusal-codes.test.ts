import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Refused } from '../src/kernel.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')
const UNION = 'domain/src/refusal-codes.ts'
const codes = [...read(UNION).matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code = '']) => code)

test('a code that no rule has does not compile', () => {
  // @ts-expect-error: a code with letters that changed places.
  expect(new Refused('contact_not_fuond')).toBeInstanceOf(Refused)
  expect(new Refused('contact_not_found').code).toBe('contact_not_found')
})

test('each code stands in the list once, and something refuses with it', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { cwd: ROOT, encoding: 'utf8' })
  const product = files
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !/[.]test[.]ts$|^test\/|refusals[.]ts$/.test(file) && file !== UNION)
  const text = product.map(read).join('\n')
  // The code of an address that is taken has the kind of the address in it.
  const isUsed = (code: string): boolean => text.includes(`'${code}'`) || /^contact_(email|phone)_taken$/.test(code)
  expect(new Set(codes).size).toBe(codes.length)
  expect(codes.length).toBeGreaterThan(70)
  expect(codes.filter((code) => !isUsed(code))).toEqual([])
})
