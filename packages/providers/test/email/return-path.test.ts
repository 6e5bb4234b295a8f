import { createHmac, createSecretKey } from 'node:crypto'
import { asMessageId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createReturnPaths } from '../../src/email/return-path.ts'

const keyOf = (master: string) => (purpose: string) => createSecretKey(createHmac('sha256', master).update(purpose).digest())
const paths = (address: string, ...masters: [string, ...string[]]) => {
  const [first, ...others] = masters.map(keyOf)
  return createReturnPaths({ address, derive: () => [first ?? keyOf(''), ...others] })
}
const ours = paths('bounces@example.com', 'one')
const ID = asMessageId('01a1feb4-f243-774a-84d8-4e6ead929d10')

describe('an envelope sender of a message', () => {
  test('names it, in any case and inside any text, and is the same each time', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), (messageId, isUpper) => {
        const address = ours.addressOf(asMessageId(messageId))
        expect(ours.addressOf(asMessageId(messageId))).toBe(address)
        expect(ours.messageIn(['Ada <ada@example.com>', `rfc822; <${isUpper ? address.toUpperCase() : address}>`])).toBe(messageId)
      }),
    )
  })

  test('has a local part of at most 64 octets, where the part before the plus has 22', () => {
    const longest = paths(`${'b'.repeat(22)}@example.com`, 'one').addressOf(ID)
    expect(longest.indexOf('@')).toBe(64)
  })

  test('with any character of its token changed is a stranger’s', () => {
    const address = ours.addressOf(ID)
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 48 }), fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'), (at, digit) => {
        fc.pre(address[at] !== digit)
        expect(ours.messageIn([address.slice(0, at) + digit + address.slice(at + 1)])).toBeNull()
      }),
    )
  })

  test('of another installation, mailbox or domain is a stranger’s', () => {
    expect(ours.messageIn([paths('bounces@example.com', 'two').addressOf(ID)])).toBeNull()
    expect(ours.messageIn([paths('bounce@example.com', 'one').addressOf(ID)])).toBeNull()
    expect(ours.messageIn([paths('bounces@examplexcom', 'one').addressOf(ID)])).toBeNull()
    expect(ours.messageIn([`x${ours.addressOf(ID)}`, `${ours.addressOf(ID)}.evil.example`])).toBeNull()
  })

  test('made under a master key that was replaced still opens', () => {
    const rotated = paths('bounces@example.com', 'two', 'one')
    expect(rotated.messageIn([ours.addressOf(ID)])).toBe(ID)
    expect(rotated.addressOf(ID)).not.toBe(ours.addressOf(ID))
  })

  test('is not where its reader unsubscribes, which is another address of the same mailbox', () => {
    const address = ours.unsubscribeAddressOf(ID)
    expect(ours.unsubscribedIn([`Ada <${address.toUpperCase()}>`])).toBe(ID)
    expect([ours.messageIn([address]), ours.unsubscribedIn([ours.addressOf(ID)])]).toEqual([null, null])
    expect(address).toMatch(/^bounces\+[0-9a-z]{41}@example\.com$/)
  })

  test('is found behind strangers’, of which only twenty are tried', () => {
    const strange = paths('bounces@example.com', 'two').addressOf(ID)
    expect(ours.messageIn([strange, ours.addressOf(ID)])).toBe(ID)
    expect(ours.messageIn([...Array(20).fill(strange), ours.addressOf(ID)])).toBeNull()
  })
})
