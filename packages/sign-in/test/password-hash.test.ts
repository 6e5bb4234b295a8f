import { expect, test } from 'vitest'
import { hashPassword, hasPassword, isPasswordOf, unusablePasswordHash } from '../src/password-hash.ts'

const password = 'correct horse battery'

test('a hash knows its password, and says how it was made', async () => {
  const hash = await hashPassword(password)
  expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/)
  expect(hash).not.toContain('horse')
  expect(await isPasswordOf(hash, password)).toBe(true)
  expect(await isPasswordOf(hash, `${password} `)).toBe(false)
})

test('a hash that stands for no password says so, and each is another one', async () => {
  const hashes = [unusablePasswordHash(), unusablePasswordHash()]
  expect(hashes.map(hasPassword)).toEqual([false, false])
  expect(hashes[0]).not.toBe(hashes[1])
  expect(hasPassword(await hashPassword(password))).toBe(true)
})

test('two hashes of one password have nothing in common', async () => {
  const [one, other] = await Promise.all([hashPassword(password), hashPassword(password)])
  expect(one.split('$')[3]).not.toBe(other.split('$')[3])
  expect(one.split('$')[4]).not.toBe(other.split('$')[4])
})

test('a password is the same in every form that Unicode has for it', async () => {
  const hash = await hashPassword('Ünïcödé passwörd'.normalize('NFC'))
  expect(await isPasswordOf(hash, 'Ünïcödé passwörd'.normalize('NFD'))).toBe(true)
})

test.each(['', 'plain', '$scrypt$ln=17,r=8,p=1$$', '$scrypt$ln=17,r=8,p=1$c2FsdA==$c2hvcnQ='])(
  '%j is the hash of no password',
  async (hash) => {
    expect(await isPasswordOf(hash, password)).toBe(false)
  },
)

test('a hash that was made with other parameters is still known', async () => {
  const hash = '$scrypt$ln=4,r=1,p=1$c2FsdHNhbHRzYWx0c2FsdA==$nd5aVtw0KCQVTjA/uX78SviBgTEUzBdfkl2DFC+upyo='
  expect(await isPasswordOf(hash, password)).toBe(true)
  expect(await isPasswordOf(hash, 'another')).toBe(false)
})
