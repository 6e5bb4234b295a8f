import { expect, it } from 'vitest'
import { isVerificationId, newCode, newVerificationId } from '../src/new-passcode.ts'

it('a code is six digits, each of them any digit', () => {
  const codes = Array.from({ length: 2_000 }, newCode)
  for (const code of codes) expect(code).toMatch(/^\d{6}$/)
  for (let place = 0; place < 6; place++) expect(new Set(codes.map((code) => code[place])).size).toBe(10)
})

it('a verification id is 21 url-safe characters, another each time', () => {
  const ids = Array.from({ length: 2_000 }, newVerificationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(isVerificationId)).toBe(true)
})

it.each(['', 'a'.repeat(20), 'a'.repeat(22), `${'a'.repeat(20)}=`, `${'a'.repeat(20)}\n`, ` ${'a'.repeat(20)}`])(
  '%j is no verification id',
  (text) => {
    expect(isVerificationId(text)).toBe(false)
  },
)
