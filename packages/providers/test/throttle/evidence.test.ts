import { asWorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Evidence, type Limited } from '../../src/throttle/evidence.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const FREE: Limited = { route: false, workspace: false, provider: false }
let recipients = 0
const watched = () => {
  const evidence = new Evidence()
  const addressed = (to: string, route: string) => ({ to, route, workspaceId: asWorkspaceId(route.slice(0, 1)) })
  const refused = (to: string, route: string, { isOfSender = false, limited = FREE } = {}) =>
    evidence.refused(addressed(to, route), limited, isOfSender)
  const accepted = (to: string, route: string) => evidence.accepted(addressed(to, route))
  /** The scope of the last of so many refusals, each of another recipient, on these routes in turn. */
  const lastOf = (count: number, ...routes: readonly string[]) =>
    Array.from({ length: count }, (_, n) => refused(`refused ${++recipients}`, routes[n % routes.length] ?? '')).at(-1)
  return { refused, accepted, lastOf }
}

describe('whose a refusal is', () => {
  test('of one number, however often it comes: that number’s', () => {
    const { refused } = watched()
    expect(Array.from({ length: 50 }, () => refused('one', 'a 1'))).toEqual(Array(50).fill('recipient'))
  })

  test('of a few numbers, on one route or on several, while others are taken: those numbers’', () => {
    const { refused, accepted } = watched()
    const said = Array.from({ length: 100 }, (_, n) => {
      accepted(`fine ${n}`, `a ${n % 3}`)
      if (n % 2 === 0) accepted(`other ${n}`, 'b 1')
      return n % 4 === 0 ? refused(`bad ${n}`, `a ${n % 3}`) : 'recipient'
    })
    expect(new Set(said)).toEqual(new Set(['recipient']))
  })

  test('of all numbers of one carrier, while another carrier’s are taken: that route’s', () => {
    const { accepted, lastOf } = watched()
    for (let n = 0; n < 20; n++) accepted(`fine ${n}`, 'a 2')
    expect([lastOf(6, 'a 1'), lastOf(1, 'a 1'), lastOf(20, 'a 1')]).toEqual(['recipient', 'route', 'route'])
  })

  test('of all numbers of one workspace, while another workspace’s are taken: that workspace’s', () => {
    const { accepted, lastOf } = watched()
    for (let n = 0; n < 20; n++) for (const route of ['a 1', 'a 2', 'a 3', 'b 1']) accepted(`fine ${n} ${route}`, route)
    const said = Array.from({ length: 30 }, (_, n) => {
      if (n % 3 === 0) accepted(`fine too ${n}`, 'b 1')
      return lastOf(1, `a ${1 + (n % 3)}`)
    })
    expect(said.slice(-10)).toEqual(Array(10).fill('workspace'))
    expect(said).not.toContain('provider')
  })

  test('of all numbers of several workspaces: everybody’s, as a limit of the account', () => {
    const other = watched()
    expect([other.lastOf(6, 'a 1', 'b 1', 'c 1'), other.lastOf(1, 'a 1')]).toEqual(['recipient', 'provider'])
    const busy = watched()
    for (let n = 0; n < 500; n++) busy.accepted(`fine ${n}`, `${'ab'[n % 2]} ${n % 5}`)
    expect([busy.lastOf(11, 'a 1', 'b 1'), busy.lastOf(1, 'b 1')]).toEqual(['recipient', 'provider'])
  })

  test('of a share of all numbers that are taken at their next try: everybody’s, since there are too many of them', () => {
    const { refused, accepted } = watched()
    const said = Array.from({ length: 60 }, (_, n) => {
      const route = `${'ab'[n % 2]} ${n % 3}`
      for (let more = 0; more < 2; more++) accepted(`fine ${n} ${more}`, route)
      if (n > 2) accepted(`late ${n - 2}`, `${'ab'[n % 2]} ${(n - 2) % 3}`)
      return refused(`late ${n}`, route)
    })
    expect([said[0], ...said.slice(-5)]).toEqual(['recipient', ...Array(5).fill('provider')])
  })

  test('that is said of the sender: everybody’s with the second recipient, on one route too', () => {
    const { refused } = watched()
    const isOfSender = true
    expect([refused('1', 'a 1', { isOfSender }), refused('1', 'a 1', { isOfSender }), refused('2', 'a 1', { isOfSender })]).toEqual([
      'recipient',
      'recipient',
      'provider',
    ])
  })

  test('while all are slowed down: everybody’s at the first one of a recipient, not at its next ones beside others that are taken', () => {
    const { refused, accepted } = watched()
    const limited = { ...FREE, provider: true }
    accepted('fine', 'b 1')
    const first = refused('1', 'a 1', { limited })
    vi.advanceTimersByTime(10)
    accepted('fine', 'b 1')
    expect([first, refused('1', 'a 1', { limited }), refused('2', 'a 1', { limited })]).toEqual(['provider', 'recipient', 'provider'])
  })

  test('while all are slowed down, of recipients that are refused again and again beside others: theirs', () => {
    const { refused, accepted } = watched()
    const limited = { ...FREE, provider: true }
    const said = Array.from({ length: 300 }, (_, n) => {
      vi.advanceTimersByTime(10)
      accepted(`fine ${n}`, `${'ab'[n % 2]} ${n % 3}`)
      return n % 5 === 0 ? refused(`bad ${n % 100}`, `a ${n % 3}`, { limited }) : null
    })
    expect(said.slice(150).filter((whose) => whose !== null && whose !== 'recipient')).toEqual([])
  })

  test('a while after the last ones: again the recipient’s', () => {
    const { lastOf } = watched()
    expect(lastOf(10, 'a 1', 'b 1')).toBe('provider')
    vi.advanceTimersByTime(31_000)
    expect(lastOf(1, 'a 1')).toBe('recipient')
  })
})
