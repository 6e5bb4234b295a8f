import { asWorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups } from '@tidings/outbound-http'
import { emailProvider } from '@tidings/providers'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSenders } from '../../src/senders/start-senders.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig } from '../testing/rig.ts'

const MAILBOX = 'ada@example.com'

let db: TestDatabase
let sink: SmtpSink
let rig: Rig
beforeAll(async () => {
  db = await testDatabase()
  sink = await startSmtpSink()
  rig = await openRig(db.pool)
})
afterAll(async () => {
  await rig.close()
  await sink.stop()
  await db.drop()
})

/** A workspace that wants to send from the mailbox. */
const newWorkspace = async (n: number): Promise<void> => {
  const workspaceId = asWorkspaceId(crypto.randomUUID())
  const at = new Date().toISOString()
  const confirmation = { confirmationId: crypto.randomUUID(), at }
  for (const command of [
    { type: 'CreateWorkspace', data: { workspaceId, slug: `shop-${n}`, name: 'Shop', plan: 'pro', country: 'IL', tracking: false } },
    {
      type: 'ConfigureSenderAddress',
      data: { addressId: crypto.randomUUID(), email: MAILBOX, name: null, status: 'pending', confirmation },
    },
  ] as const)
    await rig.runner.execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command,
      context: { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'req-1', at },
    })
}

test('a mailbox that was asked often enough by all workspaces together is asked later', async () => {
  let left = 2
  for (let n = 0; n < 3; n++) await newWorkspace(n)
  const provider = await emailProvider({ publicUrl: 'http://127.0.0.1:3000', pool: db.pool, callMs: 60_000, provider: sink.url })
  const faults: unknown[] = []
  const senders = startSenders({
    ...rig,
    commands: rig.runner,
    pool: db.pool,
    canWork: () => true,
    email: provider,
    operatorAddress: 'operator@example.com',
    takeMailbox: async (email) => email === MAILBOX && left-- > 0,
    lookups: createRecordLookups([]),
    blocklists: [],
    overdue: async () => [],
    everyMs: 3_600_000,
    logger: recordingLogger(faults),
  })
  await until(async () => {
    const { rows } = await db.pool.query(
      "select deferred_for, attempt from inbox.job where due_at > clock_timestamp() + interval '50 minutes'",
    )
    expect(rows).toEqual([{ deferred_for: 'mailbox_capped', attempt: 0 }])
  })
  await until(() => expect(sink.mails.map(({ to }) => to)).toEqual([[MAILBOX], [MAILBOX]]))
  await senders.stop()
  await provider.close()
  expect(faults).toEqual([])
})
