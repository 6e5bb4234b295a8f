import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForLinkMail, linkMailIn } from '../src/link-mails.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const WORKSPACE = asWorkspaceId(crypto.randomUUID())
const newUser = () => ({ userId: crypto.randomUUID(), email: 'ada@acme.example', role: 'member', passwordHash: 'x' }) as const
const mail = { reason: 'invitation', language: 'he', askedAt: '2026-11-30T10:00:00.000Z' } as const
const mailing = (more: Partial<Parameters<typeof askForLinkMail>[0]> = {}) => ({
  ...{ pool: db.pool, obstacle: null, takeMailbox: async () => true },
  ...more,
})
const jobs = async () =>
  (await db.pool.query<{ payload: string; row: string }>("select payload, j::text as row from inbox.job j where kind = 'link-mail'")).rows

test('a mail is a job that names a user, and neither an address nor a link', async () => {
  const user = newUser()
  expect(await askForLinkMail(mailing(), { workspaceId: WORKSPACE, user, mail })).toBeNull()
  const [job] = await jobs()
  expect(linkMailIn(job?.payload ?? '')).toEqual({
    ...{ ...mail, userId: user.userId, mailId: expect.stringMatching(/^[\da-f-]{36}$/) },
    credential: expect.stringMatching(/^[\da-f]{64}$/),
  })
  // A token has 43 characters; ids, and the digest of the credential, are hex.
  expect(job?.row).not.toMatch(/@/)
  expect(job?.row.replaceAll(/[\da-f-]{36,}/g, '')).not.toMatch(/[\w-]{43}/)
})

test('a workspace has fifty a day, whatever asks at once, and another its own', async () => {
  const workspaceId = asWorkspaceId(crypto.randomUUID())
  let taken = 0
  const takeMailbox = async () => ++taken > 0
  const asked = await Promise.all(
    Array.from({ length: 60 }, () => askForLinkMail(mailing({ takeMailbox }), { workspaceId, user: newUser(), mail })),
  )
  expect(asked.filter((outcome) => outcome === null)).toHaveLength(50)
  expect(asked.filter((outcome) => outcome === 'link_mails_capped')).toHaveLength(10)
  // What the workspace may not send uses up no mailbox.
  expect(taken).toBe(50)
  expect(await askForLinkMail(mailing(), { workspaceId: asWorkspaceId(crypto.randomUUID()), user: newUser(), mail })).toBeNull()
  await db.pool.query("update ops.link_mails set ends = now() - interval '1 second' where workspace_id = $1", [workspaceId])
  expect(await askForLinkMail(mailing(), { workspaceId, user: newUser(), mail })).toBeNull()
})

test('where no mail can leave, or the mailbox had enough, there is no job', async () => {
  const before = (await jobs()).length
  const asked = { workspaceId: WORKSPACE, user: newUser(), mail }
  expect(await askForLinkMail(mailing({ obstacle: 'mail_stays_here' }), asked)).toBe('mail_stays_here')
  expect(await askForLinkMail(mailing({ takeMailbox: async () => false }), asked)).toBe('mailbox_capped')
  expect(await jobs()).toHaveLength(before)
})
