import { masterKeysOf, memoryKeyStore, parseMasterKey } from '@tidings/codec/keys'
import { asVerificationId } from '@tidings/domain'
import { expect, it } from 'vitest'
import { createPasscodeDigests } from '../src/passcode-digests.ts'

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)]
const under = (newest: string, ...previous: readonly string[]) =>
  createPasscodeDigests(masterKeysOf(memoryKeyStore(), [parseMasterKey(newest), ...previous.map((text) => parseMasterKey(text))]).derivers)

it('a digest is of the code and its verification id, and has 64 hex digits', () => {
  const { make } = under(OLD)
  const digest = make(asVerificationId('v'), '123456')
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect([
    make(asVerificationId('v'), '123457'),
    make(asVerificationId('w'), '123456'),
    under(NEW).make(asVerificationId('v'), '123456'),
  ]).not.toContain(digest)
})

it('a passcode that was issued under a master key is right while that is among the previous ones', () => {
  const digest = under(OLD).make(asVerificationId('v'), '123456')
  expect(under(NEW, OLD).candidates(asVerificationId('v'), '123456')).toContain(digest)
  expect(under(NEW).candidates(asVerificationId('v'), '123456')).not.toContain(digest)
  expect(under(NEW, OLD).make(asVerificationId('v'), '123456')).not.toBe(digest)
})

it('what a master key gives is derived once, however many codes are compared', () => {
  const { derive } = parseMasterKey(OLD)
  let derivations = 0
  const counting: typeof derive = (purpose) => {
    derivations++
    return derive(purpose)
  }
  const digests = createPasscodeDigests(() => [counting])
  for (const code of ['123456', '123457', '123458'])
    expect(digests.candidates(asVerificationId('v'), code)).toEqual([digests.make(asVerificationId('v'), code)])
  expect(derivations).toBe(1)
})
