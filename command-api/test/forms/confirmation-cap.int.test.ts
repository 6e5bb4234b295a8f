import { parseMasterKey } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createConfirmationCap, forgetConfirmations } from '../../src/forms/confirmation-cap.ts'
import { createMailboxCap } from '../../src/forms/mailbox-cap.ts'

const ACME = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const OTHER = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b')

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('truncate ops.form_confirmation, ops.confirmation_mailbox, ops.confirmation_domain'))

const cap = (perHour = 100) =>
  createConfirmationCap({
    pool: database.pool,
    digestOf: (workspaceId, email) => `${workspaceId.slice(-1)}:${email}`,
    perHour,
    mailboxes: createMailboxCap({ pool: database.pool, derive: () => [parseMasterKey('00'.repeat(32)).derive] }),
  })
const times = <T>(count: number, work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, n) => work(n)))
const granted = (answers: readonly Readonly<{ outcome: string }>[]) => answers.filter(({ outcome }) => outcome === 'granted').length
const passHours = (hours: number) =>
  database.pool.query(`update ops.form_confirmation set ends = ends - make_interval(hours => $1)`, [hours])

describe('the mails that ask to confirm', () => {
  it('are three a day for an address, however many ask at once', async () => {
    const answers = await times(30, (n) => cap(n % 2 ? 100 : 90).take(ACME, 'ada@example.com'))
    expect(granted(answers)).toBe(3)
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['granted', 'address']))
    await passHours(23)
    expect(await cap().take(ACME, 'ada@example.com')).toEqual({ outcome: 'address' })
    await passHours(1)
    expect(granted(await times(5, () => cap().take(ACME, 'ada@example.com')))).toBe(3)
  })

  it('count for the mailbox, whatever is written behind a plus or between its dots', async () => {
    const bombing = ['ada@gmail.com', 'a.da+1@gmail.com', 'ad.a+2+3@googlemail.com', 'a.d.a@gmail.com', 'ada+x@googlemail.com']
    expect(granted(await times(5, (n) => cap().take(ACME, bombing[n]!)))).toBe(3)
    expect(granted(await times(5, (n) => cap().take(ACME, `eve+${n}@example.com`)))).toBe(3)
    // Elsewhere a dot makes another mailbox, and what begins with a plus is a name.
    for (const other of ['e.ve@example.com', '+eve@example.com', '+bob@example.com', 'bob@example.com'])
      expect(await cap().take(ACME, other)).toEqual({ outcome: 'granted' })
  })

  it('that a clock counted while it was ahead are over: of the workspace, the address, the mailbox, the domain, the visitor', async () => {
    const ahead = (days: number) =>
      database.pool.query(
        `with form as (update ops.form_confirmation set ends = ends + $1 * interval '1 day'),
           mailbox as (update ops.confirmation_mailbox set ends = ends + $1 * interval '1 day')
         update ops.confirmation_domain set filled_at = filled_at + $1 * interval '1 day', ends = ends + $1 * interval '1 day'`,
        [days],
      )
    const used = async () => {
      const answers = await times(4, () => cap(3).take(ACME, 'ada@example.com', '192.0.2.1'))
      return granted(answers)
    }
    expect(await used()).toBe(3)
    for (const days of [2, 400]) {
      await ahead(days)
      expect(await used()).toBe(3)
      expect(await used()).toBe(0)
    }
  })

  it('are so many an hour for a workspace, however many addresses it asks', async () => {
    const answers = await times(30, (n) => cap(10).take(ACME, `n${n}@example.com`))
    expect(granted(answers)).toBe(10)
    const over = answers.find(({ outcome }) => outcome === 'workspace')
    expect(over).toEqual({ outcome: 'workspace', endsInMs: expect.any(Number) })
    expect(granted(await times(5, (n) => cap(10).take(OTHER, `n${n}@example.com`)))).toBe(5)
    await passHours(1)
    expect(granted([await cap(10).take(ACME, 'n29@example.com')])).toBe(1)
  })

  it('of a workspace that a hundred addresses use up go on for another visitor, one an hour, and are bounded all the same', async () => {
    const asked = (n: number) => cap(10).take(ACME, `n${n}@example.com`, `192.0.2.${n % 5}`)
    // Each address of the flood has a mail before the share is used up.
    const flood = [...(await times(5, asked)), ...(await times(35, (n) => asked(n + 5)))]
    expect(granted(flood)).toBe(10)
    expect((await cap(10).take(ACME, 'visitor@example.com', '198.51.100.1')).outcome).toBe('granted')
    expect((await cap(10).take(ACME, 'again@example.com', '198.51.100.1')).outcome).toBe('workspace')
    expect((await cap(10).take(ACME, 'flood@example.com', '192.0.2.1')).outcome).toBe('workspace')
    expect(granted(await times(40, (n) => cap(10).take(ACME, `m${n}@example.com`, `203.0.113.${n}`)))).toBe(9)
    await passHours(1)
    expect((await cap(10).take(ACME, 'later@example.com', '192.0.2.1')).outcome).toBe('granted')
  })

  it('that were refused for their address do not count for the workspace', async () => {
    await times(20, () => cap(4).take(ACME, 'ada@example.com'))
    expect(granted([await cap(4).take(ACME, 'bob@example.com')])).toBe(1)
  })

  it('are forgotten when their windows are over, and not before', async () => {
    await times(3, (n) => cap().take(ACME, `n${n}@example.com`))
    expect(await forgetConfirmations(database.pool, 10)).toBe(0)
    await passHours(1)
    expect(await forgetConfirmations(database.pool, 10)).toBe(1)
    await passHours(23)
    expect(await forgetConfirmations(database.pool, 2)).toBe(2)
    expect(await forgetConfirmations(database.pool, 2)).toBe(1)
  })
})
