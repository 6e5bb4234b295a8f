import { parseMasterKey } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createConfirmationCap } from '../../src/forms/confirmation-cap.ts'
import {
  createDomainCap,
  FOR_EACH_CONFIRMED,
  forgetDomains,
  OF_ONE_VISITOR,
  UNPROVED_A_DAY,
  WORKSPACES_TOGETHER,
} from '../../src/forms/domain-cap.ts'
import { createMailboxCap } from '../../src/forms/mailbox-cap.ts'

const ACME = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const OTHER = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b')

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('truncate ops.form_confirmation, ops.confirmation_mailbox, ops.confirmation_domain'))

const derive = () => [parseMasterKey('00'.repeat(32)).derive] as const
/** Makes a cap as each process makes one. */
const cap = (perHour = 1_000) => {
  const { pool } = database
  const digestOf = (workspaceId: WorkspaceId, email: string) => `${workspaceId}:${email}`
  return createConfirmationCap({
    ...{ pool, digestOf, perHour },
    mailboxes: createMailboxCap({ pool, derive }),
    domains: createDomainCap({ pool, derive }),
  })
}
/** As many calls at once as a busy machine answers before a connection times out. */
const AT_ONCE = 20
const outcomes = async (count: number, take: (n: number) => Promise<Readonly<{ outcome: string }>>): Promise<readonly string[]> => {
  const all: string[] = []
  let next = 0
  const asker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) all.push((await take(n)).outcome)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, asker))
  return all
}
const granted = (all: readonly string[]): number => all.filter((outcome) => outcome === 'granted').length
/** All counts, also those of the hour of a workspace. */
const passHours = async (hours: number) => {
  await database.pool.query(
    `update ops.confirmation_domain set ends = ends - make_interval(hours => $1), filled_at = filled_at - make_interval(hours => $1),
       confirmed_at = confirmed_at - make_interval(hours => $1)`,
    [hours],
  )
  await database.pool.query('update ops.form_confirmation set ends = ends - make_interval(hours => $1)', [hours])
}
const passDays = (days: number) => passHours(24 * days)
const rows = async () => (await database.pool.query('select from ops.confirmation_domain')).rowCount
const HOUR_MS = 3_600_000
/** The number of mails that one visitor gets. */
const OF_ONE = UNPROVED_A_DAY * OF_ONE_VISITOR

describe('the mails that ask the addresses of one domain to confirm', () => {
  it('are bounded, whatever is before the @, in which host, and from how many visitors', async () => {
    const hosts = ['victim.example', 'mail.victim.example', 'a1.b2.victim.example', 'VICTIM.example']
    const flood = await outcomes(300, (n) => cap().take(ACME, `x${n}@${hosts[n % 4]}`, `192.0.2.${n % 200}`))
    // The share, and one for each visitor beyond it, up to as many again.
    expect(granted(flood)).toBe(2 * UNPROVED_A_DAY)
    expect(new Set(flood)).toEqual(new Set(['granted', 'domain']))
    expect(await cap().take(ACME, 'one-more@victim.example')).toEqual({ outcome: 'domain', endsInMs: expect.any(Number) })
    expect((await cap().take(ACME, 'new-visitor@victim.example', '198.51.100.1')).outcome).toBe('domain')
    await passDays(2)
    expect((await cap().take(ACME, 'next-day@victim.example')).outcome).toBe('granted')
  })

  it('are of one visitor no more than a part, in all workspaces', async () => {
    const flood: string[] = []
    for (const workspaceId of [ACME, OTHER, ...Array.from({ length: 3 }, () => asWorkspaceId(crypto.randomUUID()))])
      flood.push(...(await outcomes(60, (n) => cap().take(workspaceId, `made-up-${n}@gmail.com`, '192.0.2.66'))))
    expect(granted(flood)).toBe(OF_ONE)
    for (const workspaceId of [ACME, asWorkspaceId(crypto.randomUUID())])
      expect((await cap().take(workspaceId, 'real.person@gmail.com', '198.51.100.7')).outcome).toBe('granted')
  })

  it('are refused to a visitor for less than an hour, whatever others took', async () => {
    await outcomes(300, (n) => cap().take(ACME, `x${n}@gmail.com`, `192.0.2.${n}`))
    const refused = await cap().take(ACME, 'real.person@gmail.com', '198.51.100.7')
    if (refused.outcome !== 'domain') throw new Error(`it was ${refused.outcome}`)
    expect(refused.endsInMs).toBeLessThan(HOUR_MS)
    await passHours(1)
    expect((await cap().take(ACME, 'real.person@gmail.com', '198.51.100.7')).outcome).toBe('granted')
  })

  it('are refused for less than an hour to a visitor who took all of his part', async () => {
    await outcomes(OF_ONE, (n) => cap().take(ACME, `x${n}@gmail.com`, '192.0.2.66'))
    const refused = await cap().take(ACME, 'one.more@gmail.com', '192.0.2.66')
    expect(refused).toEqual({ outcome: 'domain', endsInMs: expect.any(Number) })
    expect('endsInMs' in refused && refused.endsInMs).toBeLessThan(HOUR_MS)
    await passHours(1)
    expect((await cap().take(ACME, 'one.more@gmail.com', '192.0.2.66')).outcome).toBe('granted')
  })

  it('are at a provider of many people what a first day brings, where they confirm', async () => {
    for (let n = 0; n < 200; n++) {
      expect((await cap().take(ACME, `person${n}@gmail.com`, `198.51.100.${n}`)).outcome).toBe('granted')
      if (n % 3 === 0) await cap().confirmed(`person${n}@gmail.com`)
    }
  })

  it('are for a workspace beside the attack as many as were confirmed, when others took the share of all', async () => {
    for (let n = 0; n < 3; n++) await cap().confirmed(`x${n}@mail.example`)
    const size = UNPROVED_A_DAY + 3 * FOR_EACH_CONFIRMED
    for (let at = 0; at < 2 * WORKSPACES_TOGETHER; at++) {
      const workspaceId = asWorkspaceId(crypto.randomUUID())
      await outcomes(2 * size, (n) => cap().take(workspaceId, `y${at}.${n}@mail.example`, `2001:db8:${at}:${n}::/64`))
    }
    const quiet = await outcomes(10, (n) => cap().take(ACME, `z${n}@mail.example`, `198.51.100.${n}`))
    expect(granted(quiet)).toBe(3)
  })

  it('leave no row of a domain that gets none', async () => {
    await outcomes(5, (n) => cap(3).take(ACME, `x@made-up-${n}.example`, '192.0.2.1'))
    const before = await rows()
    await outcomes(20, (n) => cap(3).take(ACME, `x@more-${n}.example`, '192.0.2.1'))
    expect(await rows()).toBe(before)
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
      sent += granted(
        await outcomes(UNPROVED_A_DAY + 10, (n) => cap().take(asWorkspaceId(workspaceId), `${workspaceId}.${n}@victim.example`)),
      )
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
