import { parseMasterKey } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createConfirmationCap } from '../../src/forms/confirmation-cap.ts'
import { createMailboxCap, forgetMailboxes } from '../../src/forms/mailbox-cap.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('truncate ops.confirmation_mailbox, ops.form_confirmation'))

const derivers = [parseMasterKey('00'.repeat(32)).derive] as const
/** Makes a cap as each process makes one. */
const cap = () => createMailboxCap({ pool: database.pool, derive: () => derivers })
const granted = (answers: readonly boolean[]): number => answers.filter(Boolean).length
const passHours = (hours: number) =>
  database.pool.query('update ops.confirmation_mailbox set ends = ends - make_interval(hours => $1)', [hours])

describe('the mails that ask a mailbox to confirm', () => {
  it('are ten a day, however it is written and however many processes ask at once', async () => {
    const written = ['ada@gmail.com', 'A.da+1@Gmail.com', 'ad.a@googlemail.com']
    const ask = () => Promise.all(Array.from({ length: 30 }, (_, n) => cap().take(written[n % 3] ?? '')))
    expect(granted(await ask())).toBe(10)
    await passHours(23)
    expect(granted(await ask())).toBe(0)
    await passHours(1)
    expect(granted(await ask())).toBe(10)
    expect(await cap().take('eve@example.com')).toBe(true)
  })

  it('are counted over all workspaces, and only where a workspace may send', async () => {
    const digestOf = (workspaceId: WorkspaceId, email: string) => `${workspaceId}:${email}`
    const forms = createConfirmationCap({ pool: database.pool, digestOf, perHour: 2, mailboxes: cap() })
    const outcomes: string[] = []
    for (let n = 0; n < 12; n++) outcomes.push((await forms.take(asWorkspaceId(crypto.randomUUID()), 'ada@example.com')).outcome)
    expect(outcomes).toEqual([...Array(10).fill('granted'), 'address', 'address'])
    const busy = asWorkspaceId(crypto.randomUUID())
    for (let n = 0; n < 9; n++) await forms.take(busy, n < 2 ? `n${n}@example.com` : 'eve@example.com')
    expect(granted(await Promise.all(Array.from({ length: 20 }, () => cap().take('eve@example.com'))))).toBe(10)
  })

  it('leave no address behind, and are forgotten when their day is over', async () => {
    await cap().take('ada@example.com')
    const { rows } = await database.pool.query<{ mailbox: string }>('select mailbox from ops.confirmation_mailbox')
    expect(rows).toEqual([{ mailbox: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(await forgetMailboxes(database.pool, 10)).toBe(0)
    await passHours(24)
    expect(await forgetMailboxes(database.pool, 10)).toBe(1)
  })
})
