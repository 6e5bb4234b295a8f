import { createHash } from 'node:crypto'
import { asWorkspaceId, user, userStream, type WorkspaceCommand, workspace, workspaceStream } from '@tidings/domain'
import type { Job, Lease } from '@tidings/jobs'
import { type EmailProvider, emailProvider } from '@tidings/providers'
import { credentialOf, makeSignInLink, unusablePasswordHash } from '@tidings/sign-in'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LostMail, sendLinkMail } from '../../src/link-mails/send-link-mail.ts'
import { openRig, type Rig } from '../testing/rig.ts'

let db: TestDatabase
let sink: SmtpSink
let rig: Rig
let provider: EmailProvider
const lost: LostMail[] = []
beforeAll(async () => {
  db = await testDatabase()
  sink = await startSmtpSink()
  rig = await openRig(db.pool)
})
beforeEach(async () => {
  await provider?.close()
  // One that has not heard of the refusals of the last test.
  provider = await emailProvider({ publicUrl: 'http://127.0.0.1:3000', pool: db.pool, callMs: 60_000, provider: sink.url })
  sink.mails.length = 0
  lost.length = 0
  for (const step of ['rcpt', 'data'] as const) delete sink.answers[step]
})
afterAll(async () => {
  await provider.close()
  await rig.close()
  await sink.stop()
  await db.drop()
})

const lease: Lease = {
  ensure: () => undefined,
  keep: () => ({ lost: () => false, end: () => undefined }),
  markTarget: async () => undefined,
}

/** A workspace with somebody who is invited, and the job that mails them. */
const invited = async (email = 'ada@bücher.example') => {
  const workspaceId = asWorkspaceId(crypto.randomUUID())
  const context = () => {
    const commandId = crypto.randomUUID()
    return { commandId, workspaceId, actor: 'test', requestId: commandId, at: new Date().toISOString() }
  }
  const change = (command: WorkspaceCommand) =>
    rig.runner.execute({ decider: workspace, stream: workspaceStream(workspaceId), command, context: context() })
  const slug = workspaceId.slice(0, 8)
  await change({ type: 'CreateWorkspace', data: { workspaceId, slug, name: 'Acme', plan: 'pro', country: 'IL', tracking: false } })
  const data = { userId: crypto.randomUUID(), email, role: 'member', passwordHash: unusablePasswordHash() } as const
  const changeUser = (command: Parameters<typeof user.decide>[0]) =>
    rig.runner.execute({ decider: user, stream: userStream(workspaceId, data.userId), command, context: context() })
  await changeUser({ type: 'AddUser', data })
  const askedAt = new Date().toISOString()
  const payloadOf = (reason: 'invitation' | 'link') =>
    `${data.userId} ${crypto.randomUUID()} ${reason} en ${askedAt} ${credentialOf(data).toString('hex')}`
  const jobOf = (reason: 'invitation' | 'link'): Job => ({
    ...{ workspaceId, seq: 1n, attempt: 0, payload: payloadOf(reason), takenOver: false, claimedBefore: false },
  })
  const job = jobOf('invitation')
  const remove = () => changeUser({ type: 'RemoveUser', data })
  const links = async () =>
    (
      await db.pool.query<{ hash: string }>("select encode(token_hash, 'hex') as hash from ops.sign_in_link where user_id = $1", [
        data.userId,
      ])
    ).rows.map(({ hash }) => hash)
  return { workspaceId, user: data, job, jobOf, change, changeUser, remove, links }
}

const mailing = (more: Partial<Parameters<typeof sendLinkMail>[0]> = {}): Parameters<typeof sendLinkMail>[0] => ({
  pool: db.pool,
  commands: rig.runner,
  provider,
  from: 'operator@example.com',
  publicUrl: 'https://tidings.example',
  onLost: (one) => void lost.push(one),
  retryDelaysMs: [1_000],
  unconfirmedMs: 5_000,
  now: () => new Date().toISOString(),
  ...more,
})
const run = (job: Job, more?: Partial<Parameters<typeof sendLinkMail>[0]>) =>
  sendLinkMail(mailing(more), job, lease, new AbortController().signal)

test('a link is mailed from the operator to an address of any script, beside the one that is shown', async () => {
  const { job, workspaceId, user: known, links } = await invited()
  const shown = await makeSignInLink(db.pool, { workspaceId, user: known, hours: 1 })
  expect(await run(job)).toBe('done')
  const [mail] = sink.mails
  expect(mail?.from).toBe('operator@example.com')
  expect(mail?.to).toEqual([known.email])
  expect(mail?.raw).toMatch(/Subject: You are invited to Acme/)
  const [, token = ''] = /link\?mailed#([\w-]{43})\r?\n/.exec(mail?.raw.replaceAll(/=\r?\n/g, '') ?? '') ?? []
  expect((await links()).toSorted()).toEqual([shown.token, token].map((one) => createHash('sha256').update(one).digest('hex')).toSorted())
})

test('a mail whose sender died before it could say so leaves again: the same mail, and every link of it signs in', async () => {
  const { job, links } = await invited()
  for (const takenOver of [false, true]) expect(await run({ ...job, takenOver, claimedBefore: takenOver })).toBe('done')
  const ids = sink.mails.map(({ raw }) => /^Message-ID: (.+)$/im.exec(raw)?.[1])
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
  expect(await links()).toHaveLength(2)
})

describe('a mail that does not leave', () => {
  test('is tried again, and ends the link that was in no mail', async () => {
    const { job, links } = await invited()
    sink.answers.rcpt = () => ({ code: 451, message: '4.3.0 later' })
    expect(await run(job)).toMatchObject({ type: 'Deferred', deferredFor: 'retry', wasNotHandedOver: true })
    expect(await links()).toHaveLength(0)
    expect(await run({ ...job, attempt: 1 })).toBe('done')
    expect(lost).toMatchObject([{ reason: 'bounced' }])
  })

  test('is given up where its mailbox does not exist, and the process says whose without an address', async () => {
    const { job, workspaceId, user: known, links } = await invited()
    sink.answers.rcpt = () => ({ code: 550, message: '5.1.1 no such user' })
    expect(await run(job)).toBe('done')
    expect(lost).toEqual([{ workspaceId, userId: known.userId, reason: 'bounced' }])
    expect(await links()).toHaveLength(0)
  })

  test('is sent once more where the relay cut the line before it answered, and its first link holds', async () => {
    const { job, links } = await invited()
    sink.answers.data = () => {
      for (const socket of sink.sockets()) socket.destroy()
      return undefined
    }
    expect(await run(job)).toMatchObject({ type: 'Deferred', deferredFor: 'answer_missing' })
    expect(await links()).toHaveLength(1)
    delete sink.answers.data
    expect(await run({ ...job, attempt: 1 })).toBe('done')
    expect(await links()).toHaveLength(2)
  })
})

describe('a mail that is not wanted any more', () => {
  test.each([
    ['the user was removed', ({ remove }) => remove()],
    [
      'they have come by another link, and have a password',
      ({ changeUser, user: { userId } }) =>
        changeUser({ type: 'ChangePassword', data: { userId, passwordHash: '$scrypt$ln=4,r=1,p=1$c2FsdA==$a2V5' } }),
    ],
    ['the workspace is closed', ({ change }) => change({ type: 'ChangeWorkspaceStatus', data: { status: 'closed' } })],
  ] satisfies [string, (world: Awaited<ReturnType<typeof invited>>) => Promise<unknown>][])('is not sent: %s', async (_, happen) => {
    const world = await invited()
    await happen(world)
    expect(await run(world.job)).toBe('done')
    expect(sink.mails).toEqual([])
    expect(await world.links()).toHaveLength(0)
  })

  test('is not sent: the user is removed while it is on its way to the provider', async () => {
    const { job, remove, links } = await invited()
    let looks = 0
    const load: Rig['runner']['load'] = async (loading) => {
      // The second look is that of the gate.
      if (++looks === 3) await remove()
      return await rig.runner.load(loading)
    }
    expect(await run(job, { commands: { load } })).toBe('done')
    expect(looks).toBeGreaterThan(2)
    expect(sink.mails).toEqual([])
    expect(await links()).toHaveLength(0)
  })

  test('is not sent: a link that was asked for before the password was changed', async () => {
    const { jobOf, changeUser, links, user: known } = await invited()
    const job = jobOf('link')
    sink.answers.rcpt = () => ({ code: 451, message: '4.3.0 later' })
    expect(await run(job)).toMatchObject({ deferredFor: 'retry' })
    delete sink.answers.rcpt
    await changeUser({ type: 'ChangePassword', data: { userId: known.userId, passwordHash: '$scrypt$ln=4,r=1,p=1$c2FsdA==$a2V5' } })
    expect(await run({ ...job, attempt: 1 })).toBe('done')
    expect(sink.mails).toEqual([])
    expect(await links()).toHaveLength(0)
  })

  test('is not sent, which the process says: an invitation after a week, another link after a day', async () => {
    const { job, jobOf, user: known, workspaceId } = await invited()
    const inDays = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000).toISOString() })
    for (const [late, days] of [
      [job, 8],
      [jobOf('link'), 2],
    ] as const)
      expect(await run(late, inDays(days))).toBe('done')
    const waited = { workspaceId, userId: known.userId, reason: 'waited' }
    expect(lost).toEqual([waited, waited])
    expect(sink.mails).toEqual([])
    expect(await run(job, inDays(2))).toBe('done')
    expect(sink.mails).toHaveLength(1)
  })

  test('is not sent: it is of another version', async () => {
    const { job } = await invited()
    expect(await run({ ...job, payload: 'something else' })).toBe('done')
    expect(sink.mails).toEqual([])
  })

  test('waits while the workspace is suspended', async () => {
    const { job, change, links } = await invited()
    await change({ type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    expect(await run(job)).toMatchObject({ type: 'Deferred', counts: false, deferredFor: 'workspace_suspended' })
    expect(await links()).toHaveLength(0)
  })
})
