import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerInClear } from '../src/taken.ts'

test.each([
  ['250 2.0.0 Ok: queued as 4F2ABC1234', '250 2.0.0 Ok: queued as 4F2ABC1234'],
  ['250-first line\n250 2.0.0 second', '250-first line 250 2.0.0 second'],
  ['250 2.1.5 <ada@example.com> ok, queued', '250 2.1.5 … ok, queued'],
  ['250 2.6.0 <0192.1@mail.example> [InternalId=7] Queued mail for delivery', '250 2.6.0 … [InternalId=7] Queued mail for delivery'],
  ['250 \u001b[31mok\u202e\u0000 as 1', '250 [31mok as 1'],
  ['250 \ud800 ok', '250 \ufffd ok'],
  ['250 ok to=ada%40example.com as 1', '250 ok … as 1'],
  ['250 ok ada\uff20example.com as 1', '250 ok … as 1'],
])('%j is kept as %j', (said, kept) => {
  expect(answerInClear(said)).toBe(kept)
})

test('whatever a server says, what is kept is one short line without an address, that Postgres can hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), fc.emailAddress(), (noise, address) => {
      const kept = answerInClear(`250 ok ${noise} ${address} ${noise}`)
      expect([...kept].length).toBeLessThanOrEqual(250)
      expect(kept).not.toMatch(/@|[\p{Cc}\u2028]/u)
      expect(kept.isWellFormed()).toBe(true)
    }),
  )
  expect(answerInClear(`250 ${'x'.repeat(60_000)}`)).toHaveLength(250)
})
