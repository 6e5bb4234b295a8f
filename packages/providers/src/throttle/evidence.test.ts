import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Evidence } from './evidence.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const FREE = { route: false, provider: false }
const watched = () => {
  const evidence = new Evidence()
  const refused = (to: string, route: string, { isOfSender = false, limited = FREE } = {}) =>
    evidence.refused({ to, route }, limited, isOfSender)
  const accepted = (to: string, route: string) => evidence.accepted({ to, route })
  return { refused, accepted }
}

describe('whose a refusal is', () => {
  test('of one number, however often it comes: that number’s', () => {
    const { refused } = watched()
    expect(Array.from({ length: 50 }, () => refused('one', 'a'))).toEqual(Array(50).fill('recipient'))
  })

  test('of five numbers of one carrier, while another carrier’s are taken: that route’s', () => {
    const { refused, accepted } = watched()
    accepted('fine', 'b')
    expect(['1', '2', '3', '4', '5'].map((to) => refused(to, 'a'))).toEqual(['recipient', 'route', 'route', 'route', 'route'])
  })

  test('of numbers on several routes: everybody’s, unless those routes fail beside one that works', () => {
    const all = watched()
    expect([all.refused('1', 'a'), all.refused('2', 'b'), all.refused('3', 'c')]).toEqual(['recipient', 'provider', 'provider'])
    const some = watched()
    some.accepted('fine', 'd')
    expect([some.refused('1', 'a'), some.refused('2', 'b'), some.refused('3', 'c')]).toEqual(['recipient', 'recipient', 'recipient'])
  })

  test('on routes that were taken from a moment ago, as with a limit of the account: everybody’s', () => {
    const { refused, accepted } = watched()
    for (const route of ['a', 'b']) accepted(`fine ${route}`, route)
    expect([refused('1', 'a'), refused('2', 'b')]).toEqual(['recipient', 'provider'])
  })

  test('that is said of the sender: everybody’s with the second recipient, on one route too', () => {
    const { refused } = watched()
    const isOfSender = true
    expect([refused('1', 'a', { isOfSender }), refused('1', 'a', { isOfSender }), refused('2', 'a', { isOfSender })]).toEqual([
      'recipient',
      'recipient',
      'provider',
    ])
  })

  test('while all are slowed down: everybody’s at the first one of a recipient, not at its next ones', () => {
    const { refused } = watched()
    const limited = { route: false, provider: true }
    expect([refused('1', 'a', { limited }), refused('1', 'a', { limited })]).toEqual(['provider', 'recipient'])
    expect([refused('2', 'a', { limited }), refused('1', 'a', { limited })]).toEqual(['provider', 'provider'])
  })

  test('a while after the last one: again the recipient’s', () => {
    const { refused } = watched()
    refused('1', 'a')
    vi.advanceTimersByTime(11_000)
    expect(refused('2', 'a')).toBe('recipient')
  })
})
