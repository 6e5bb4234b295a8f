import type { EventLog } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId, type WorkspaceStatus, workspaceStream } from '@tidings/domain'
import { admit, SEND_KINDS, suspendedWorkspaces, suspendJobs } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { until } from '@tidings/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { createSuspendedMessages, type SuspendedMessages } from '../../src/send/suspended-messages.ts'
import { EVERY_JOB } from '../testing/every-job.ts'
import { announceWaiting } from '../testing/make-due.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

const OTHER = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b')

setUpSending()

const become = (status: WorkspaceStatus) =>
  rig.log.append(workspaceStream(WORKSPACE), 'any', [{ type: 'WorkspaceStatusChanged', data: { status, reason: null } }], {
    commandId: crypto.randomUUID(),
    workspaceId: WORKSPACE,
    actor: 'test',
    requestId: 'r',
    at: new Date().toISOString(),
  })
const suspendedNow = () => suspendedWorkspaces(db.pool, SEND_KINDS.email.transactional)
type JobRow = Readonly<{ lane: string; due_at: Date | null; token: string | null }>
const jobs = async () => (await db.pool.query<JobRow>(`select lane, due_at, token from ${EVERY_JOB} order by lane, seq`)).rows
/** Everything is admitted, and whatever was claimed has been put back. */
const atRest = (count: number) =>
  until(async () => {
    const rows = await jobs()
    expect([rows.length, rows.filter(({ token }) => token !== null)]).toEqual([count, []])
  })
const makeAllDue = async () => {
  await db.pool.query(`update inbox.job set due_at = now() - interval '1 s' where due_at is not null`)
  await announceWaiting(db.pool)
}
const subjects = () => sink.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())
const accepted = async (people: number) => {
  for (let n = 0; n < people; n++) {
    const contactId = await rig.newContact(`p${n}@example.com`)
    for (const nth of [1, 2]) await rig.accept(contactId, { to: `p${n}@example.com`, subject: `p${n} ${nth}` })
  }
}
/** A job of an active workspace, whose message is unknown: it was claimed once it is to be tried again. Done behind all that was due before it. */
const witness = async () => {
  await transaction(db.pool, (tx) =>
    admit(tx, SEND_KINDS.email.transactional, [{ workspaceId: OTHER, lane: 'w', seq: 1n, payload: crypto.randomUUID() }]),
  )
  await until(async () =>
    expect((await db.pool.query('select from inbox.job where workspace_id = $1 and attempt = 1', [OTHER])).rowCount).toBe(1),
  )
  await db.pool.query('delete from inbox.job where workspace_id = $1', [OTHER])
}
/** The rig's log, counting the histories of messages that are read. */
const counting = () => {
  const reads = { messages: 0 }
  const readStream: EventLog['readStream'] = (workspaceId, stream, options) => {
    if (stream.startsWith('message-')) reads.messages++
    return rig.log.readStream(workspaceId, stream, options)
  }
  return { reads, log: { ...rig.log, readStream } }
}

describe('mail of a suspended workspace', () => {
  test('is neither claimed nor read again while that lasts', async () => {
    await become('suspended')
    await accepted(10)
    const { log, reads } = counting()
    await rig.consume(sink.url, { log })
    await until(async () => expect(await suspendedNow()).toEqual([WORKSPACE]))
    await atRest(20)
    await makeAllDue()
    const before = { jobs: await jobs(), reads: reads.messages }
    await witness()
    await witness()
    expect(await jobs()).toEqual(before.jobs)
    // The two witnesses' own.
    expect(reads.messages - before.reads).toBe(2)
    expect(sink.mails).toEqual([])
  })

  test('goes out when that is over, each lane in its order', async () => {
    await become('suspended')
    await accepted(5)
    await rig.consume(sink.url)
    await until(async () => expect(await suspendedNow()).toEqual([WORKSPACE]))
    await become('active')
    await until(() => expect(sink.mails).toHaveLength(10))
    for (const who of ['p0', 'p1', 'p2', 'p3', 'p4'])
      expect(subjects().filter((subject) => subject?.startsWith(who))).toEqual([`${who} 1`, `${who} 2`])
    await until(async () => expect(await suspendedNow()).toEqual([]))
  })

  test('ends when the workspace is closed', async () => {
    await become('suspended')
    await accepted(1)
    await rig.consume(sink.url)
    await until(async () => expect(await suspendedNow()).toEqual([WORKSPACE]))
    await become('closed')
    await until(async () => expect(await jobs()).toEqual([]))
    expect(sink.mails).toEqual([])
  })

  test('that a killed process left suspended, though it was resumed since, goes out after the next start', async () => {
    await become('suspended')
    await become('active')
    await suspendJobs(db.pool, SEND_KINDS.email.transactional, WORKSPACE)
    await db.pool.query(`update inbox.suspended_workspace set suspended_until = now() + interval '1 day'`)
    await accepted(1)
    await rig.consume(sink.url)
    await until(() => expect(subjects()).toEqual(['p0 1', 'p0 2']))
  })
})

describe('a suspension', () => {
  const faults: unknown[] = []
  let mail: SuspendedMessages | undefined
  afterEach(async () => {
    await mail?.stop()
    faults.length = 0
  })
  /** `status` is what is known, `statusNow` what the log has. */
  const suspending = (
    workspaces: {
      status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus>
      statusNow: () => Promise<WorkspaceStatus>
    },
    everyMs = 60_000,
  ) => {
    mail = createSuspendedMessages({
      pool: db.pool,
      kind: SEND_KINDS.email.transactional,
      workspaces,
      onReleased: () => undefined,
      onFault: (error) => faults.push(error),
      everyMs,
    })
    return mail
  }

  test('that comes after the resume it did not know of is released at once', async () => {
    const { putOff } = suspending({ status: () => 'suspended', statusNow: async () => 'active' })
    await putOff(WORKSPACE)
    expect(await suspendedNow()).toEqual([])
  })

  test('whose resume arrives while it is made is released by that', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<WorkspaceStatus>()
    const statusNow = () => {
      asked.resolve()
      return answer.promise
    }
    const { putOff, view } = suspending({ status: () => 'active', statusNow })
    const putting = putOff(WORKSPACE)
    await asked.promise
    view.apply({ data: { status: 'active' }, meta: { workspaceId: WORKSPACE } } as never)
    answer.resolve('suspended')
    await putting
    await until(async () => expect(await suspendedNow()).toEqual([]))
  })

  test('is renewed while the workspace is suspended, and while its status is unknown', async () => {
    await suspendJobs(db.pool, SEND_KINDS.email.transactional, WORKSPACE)
    await suspendJobs(db.pool, SEND_KINDS.email.transactional, OTHER)
    await db.pool.query(
      `update inbox.suspended_workspace set suspended_until = now() + interval '20 s' * (case workspace_id when $1 then 1 else 2 end)`,
      [WORKSPACE],
    )
    let asked = 0
    const status = () => {
      if (asked++ > 0) throw new Error('the log is away')
      return 'suspended' as const
    }
    suspending({ status, statusNow: async () => 'suspended' })
    const lasting = `select from inbox.suspended_workspace where suspended_until > now() + interval '50 s'`
    await until(async () => expect((await db.pool.query(lasting)).rowCount).toBe(2))
    expect(faults).toMatchObject([{ message: 'the log is away' }])
  })

  test('whose workspace cannot be read does not keep the mail of others back', async () => {
    await suspendJobs(db.pool, SEND_KINDS.email.transactional, WORKSPACE)
    await suspendJobs(db.pool, SEND_KINDS.email.transactional, OTHER)
    const status = (workspaceId: WorkspaceId) => {
      if (workspaceId === WORKSPACE) throw new Error('the event cannot be decoded')
      return 'active' as const
    }
    suspending({ status, statusNow: async () => 'suspended' })
    await until(async () => expect(await suspendedNow()).toEqual([WORKSPACE]))
    await until(async () => expect(faults).toMatchObject([{ message: 'the event cannot be decoded' }]))
  })

  test('whose workspace cannot be looked up does not keep a stop waiting', async () => {
    await suspendJobs(db.pool, SEND_KINDS.email.transactional, WORKSPACE)
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<never>()
    const status = () => {
      asked.resolve()
      return answer.promise
    }
    const { stop } = suspending({ status, statusNow: status })
    await asked.promise
    await stop()
    // An error of the look after the stop is not reported.
    answer.reject(new Error('the log is away'))
    await new Promise(setImmediate)
    expect(faults).toEqual([])
  })

  test('that cannot be made puts the job off for long', async () => {
    const { putOff } = suspending({ status: () => 'suspended', statusNow: async () => 'suspended' })
    await db.pool.query('alter table inbox.suspended_workspace rename to elsewhere')
    expect(await putOff(WORKSPACE)).toMatchObject({ inMs: 60_000, counts: false })
    expect(faults.length).toBeGreaterThan(0)
  })
})
