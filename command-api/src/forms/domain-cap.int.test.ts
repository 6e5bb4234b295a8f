import { parseMasterKey } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createConfirmationCap } from './confirmation-cap.ts'
import { createDomainCap, FOR_EACH_CONFIRMED, forgetDomains, UNPROVED_A_DAY, WORKSPACES_TOGETHER } from './domain-cap.ts'
import { createMailboxCap } from './mailbox-cap.ts'

const ACME = '0192f0c1-0000-7000-8000-00000000000a'
const OTHER = '0192f0c1-0000-7000-8000-00000000000b'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('truncate ops.form_confirmation, ops.confirmation_mailbox, ops.confirmation_domain'))

const derive = () => [parseMasterKey('00'.repeat(32)).derive] as const
/** As each process makes one. */
const cap = (perHour = 1_000) => {
  const { pool } = database
  const digestOf = (workspaceId: string, email: string) => `${workspaceId}:${email}`
  return createConfirmationCap({
    ...{ pool, digestOf, perHour },
    mailboxes: createMailboxCap({ pool, derive }),
    domains: createDomainCap({ pool, derive }),
  })
}
const outcomes = (count: number, take: (n: number) => Promise<Readonly<{ outcome: string }>>) =>
  Promise.all(Array.from({ length: count }, async (_, n) => (await take(n)).outcome))
const granted = (all: readonly string[]): number => all.filter((outcome) => outcome === 'granted').length
const passDays = (days: number) =>
  database.pool.query(
    `update ops.confirmation_domain set ends = ends - make_interval(days => $1), confirmed_at = confirmed_at - make_interval(days => $1)`,
    [days],
  )

describe('the mails that ask the addresses of one domain to confirm', () => {
  it('are bounded, whatever is before the @, in which host, and from how many visitors', async () => {
    const hosts = ['victim.example', 'mail.victim.example', 'a1.b2.victim.example', 'VICTIM.example']
    const flood = await outcomes(300, (n) => cap().take(ACME, `x${n}@${hosts[n % 4]}`, `192.0.2.${n % 200}`))
    expect(granted(flood)).toBe(UNPROVED_A_DAY)
    expect(new Set(flood)).toEqual(new Set(['granted', 'domain']))
    expect(await cap().take(ACME, 'one-more@victim.example')).toEqual({ outcome: 'domain', endsInMs: expect.any(Number) })
    await passDays(1)
    expect((await cap().take(ACME, 'next-day@victim.example')).outcome).toBe('granted')
  })

  it('take nothing of what the workspace may send to others', async () => {
    const perHour = UNPROVED_A_DAY + 5
    await outcomes(200, (n) => cap(perHour).take(ACME, `x${n}@victim.example`))
    const others = await outcomes(10, (n) => cap(perHour).take(ACME, `x${n}@shop-${n}.example`))
    expect(others.filter((outcome) => outcome === 'granted')).toHaveLength(5)
    expect(new Set(others)).toEqual(new Set(['granted', 'workspace']))
  })

  it('are more for each that was confirmed from it, for every workspace', async () => {
    await outcomes(100, (n) => cap().take(ACME, `x${n}@mail.example`))
    for (let n = 0; n < 3; n++) await cap().confirmed(`x${n}@mail.example`)
    const later = await outcomes(100, (n) => cap().take(ACME, `y${n}@mail.example`))
    expect(granted(later)).toBe(3 * FOR_EACH_CONFIRMED)
    const elsewhere = await outcomes(200, (n) => cap().take(OTHER, `z${n}@mail.example`))
    expect(granted(elsewhere)).toBe(UNPROVED_A_DAY + 3 * FOR_EACH_CONFIRMED)
  })

  it('are bounded for all workspaces together', async () => {
    const workspaces = Array.from({ length: WORKSPACES_TOGETHER + 2 }, () => crypto.randomUUID())
    let sent = 0
    for (const workspaceId of workspaces)
      sent += granted(await outcomes(UNPROVED_A_DAY + 10, (n) => cap().take(workspaceId, `${workspaceId}.${n}@victim.example`)))
    expect(sent).toBe(WORKSPACES_TOGETHER * UNPROVED_A_DAY)
  })

  it('do not count what was refused for its address', async () => {
    await outcomes(UNPROVED_A_DAY * 2, () => cap().take(ACME, 'ada@shop.example'))
    expect((await cap().take(ACME, 'bob@shop.example')).outcome).toBe('granted')
  })

  it('know less of who confirmed long ago, and are forgotten then', async () => {
    for (let n = 0; n < 4; n++) await cap().confirmed(`x${n}@mail.example`)
    await passDays(31)
    const later = await outcomes(100, (n) => cap().take(ACME, `y${n}@mail.example`))
    expect(granted(later)).toBe(UNPROVED_A_DAY + 2 * FOR_EACH_CONFIRMED)
    expect(await forgetDomains(database.pool, 10)).toBe(0)
    await passDays(31)
    expect(await forgetDomains(database.pool, 10)).toBe(2)
  })
})
