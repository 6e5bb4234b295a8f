import { runDirectConsumer } from '@tidings/bus'
import type { EventLog } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asContactId, asListId, type CampaignId, type ContactId, type TemplateId } from '@tidings/domain'
import { admission, CAMPAIGN_RELEASE } from '@tidings/jobs'
import { PATIENT_MS, type TestDatabase, testDatabase, until } from '@tidings/testing'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { advanceNext } from '../../src/campaigns/advance-next.ts'
import { campaignConsumer } from '../../src/campaigns/campaign-consumer.ts'
import type { CampaignWork } from '../../src/campaigns/campaign-work.ts'
import { wake } from '../../src/campaigns/run-table.ts'
import { createRecipientView } from '../../src/views/recipient-view.ts'
import { createSenderIdView } from '../../src/views/sender-id-view.ts'
import { campaignRig, campaignWork } from '../testing/campaign-rig.ts'
import { flowRig } from '../testing/flow-rig.ts'
import { announceWaiting } from '../testing/make-due.ts'
import { immortal, type Mortal, processThatDies } from '../testing/process-that-dies.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

/** Planners that do the next thing when the test says so, and die where it says so; mail is sent and its outcomes are consumed all the while. */
let db: TestDatabase
let rig: Rig
let given: ReturnType<typeof flowRig>
let campaigns: ReturnType<typeof campaignRig>
let templateId: TemplateId
let senderAddressId: string
const faults: unknown[] = []
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  given = flowRig(rig)
  campaigns = campaignRig(rig, db.pool)
  await campaigns.prepare()
  templateId = await given.template()
  senderAddressId = await campaigns.senderAddressId()
  const onFault = (error: unknown): void => void faults.push(error)
  const sending = await rig.consume('outbox', { logger: recordingLogger(faults) })
  const consumer = campaignConsumer({ admitReleases: admission(CAMPAIGN_RELEASE), onMoved: () => undefined })
  const outcomes = runDirectConsumer({ consumer, log: rig.log, pool: db.pool, startAt: 'start', onFault })
  stops.push(() => outcomes.stop(), sending.stop)
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await rig.close()
  await db.drop()
  expect(withoutLateAnswers(faults)).toEqual([])
})

const signal = new AbortController().signal
const plan = (work: CampaignWork) => advanceNext(work, { owner: crypto.randomUUID(), signal, onFault: () => undefined })

const workOf = (mortal: Mortal = immortal): CampaignWork => {
  const log: EventLog = {
    ...rig.log,
    append: mortal(rig.log.append),
    readStream: mortal(rig.log.readStream) as EventLog['readStream'],
  }
  const pool: Pool = Object.create(db.pool, {
    query: { value: mortal(async (...args: readonly unknown[]) => await Reflect.apply(db.pool.query, db.pool, args)) },
    // The connection is not taken after it: no caller would give it back.
    connect: { value: () => mortal(async () => undefined)().then(() => db.pool.connect()) },
  })
  const work = campaignWork(rig, db.pool)
  return {
    ...work,
    log,
    recipients: createRecipientView(log),
    pool,
    commands: createCommandRunner({ log, deadlineMs: PATIENT_MS }),
    senderIds: createSenderIdView(rig.log),
    now: Date.now,
    pageOf: 2,
  }
}

const MEMBERS = 5
const started = async (): Promise<Readonly<{ campaignId: CampaignId; ids: readonly ContactId[] }>> => {
  const listId = asListId(crypto.randomUUID())
  const ids = await Promise.all(Array.from({ length: MEMBERS }, () => given.contact(`${crypto.randomUUID()}@example.com`)))
  await campaigns.members(
    listId,
    ids.map((contactId) => ({ contactId })),
  )
  const campaignId = await campaigns.campaign({ listId, templateId, senderAddressId })
  await campaigns.move(campaignId, 'start')
  await until(async () => expect((await db.pool.query('select from ops.campaign_run')).rowCount).toBe(1), 5)
  return { campaignId, ids }
}

/** The leases of the dead end, and what they had put off is due. */
const leasesEnd = () => db.pool.query("update ops.campaign_run set expires_at = '-infinity' where owner is not null")

const finish = async (campaignId: CampaignId): Promise<void> => {
  const work = workOf()
  await until(async () => {
    await leasesEnd()
    await db.pool.query("update ops.campaign_run set due_at = '-infinity'")
    while (await plan(work));
    expect(await campaigns.moves(campaignId)).toContain('CampaignSent')
    expect((await db.pool.query('select from ops.campaign_run union all select from ops.campaign_recipient')).rowCount).toBe(0)
  })
}

const mailsOf = async (ids: readonly string[]): Promise<readonly number[]> =>
  (
    await db.pool.query<{ mails: number }>(
      `select count(o.seq)::int as mails from unnest($1::text[]) m(address) left join outbox.message o on o.recipient = m.address group by m.address`,
      [await Promise.all(ids.map(async (contactId) => (await rig.contactOf(asContactId(contactId))).email))],
    )
  ).rows.map(({ mails }) => mails)

const onceEach = async (campaignId: CampaignId, ids: readonly ContactId[]): Promise<void> => {
  await finish(campaignId)
  expect(await mailsOf(ids)).toEqual(ids.map(() => 1))
  for (const contactId of ids)
    expect((await campaigns.message(campaignId, contactId)).map(({ type }) => type)).toEqual(['EmailAccepted', 'MessageSent'])
}

test('a planner that dies anywhere leaves no recipient out, and none with two mails', async () => {
  let at = 0
  for (; ; at += 5) {
    const { campaignId, ids } = await started()
    const { mortal, hasDied } = processThatDies(at)
    const work = workOf(mortal)
    for (let steps = 0; steps < 6 && !hasDied(); steps++) await plan(work).catch(() => undefined)
    await onceEach(campaignId, ids)
    if (!hasDied()) break
  }
  // A snapshot of the audience, and three pages of reads and appends.
  expect(at).toBeGreaterThan(60)
})

test('the last outcome may come between the look at the row and that at the audience', async () => {
  const listId = asListId(crypto.randomUUID())
  const contactId = await given.contact(`${crypto.randomUUID()}@example.com`)
  await campaigns.members(listId, [{ contactId }])
  const campaignId = await campaigns.campaign({ listId, templateId, senderAddressId })
  await campaigns.move(campaignId, 'start')
  await db.pool.query(
    `insert into ops.campaign_run (campaign_id, workspace_id, due_at, recipients, refused, after) values ($1, $2, '-infinity', 2, 1, $3)
     on conflict (campaign_id) do update set recipients = 2, refused = 1, after = excluded.after, due_at = '-infinity'`,
    [campaignId, WORKSPACE, 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  )
  const work = workOf()
  const readStream: typeof work.log.readStream = async (...args) => {
    await db.pool.query('update ops.campaign_run set accepted = true where campaign_id = $1', [campaignId])
    return await work.log.readStream(...args)
  }
  await plan({ ...work, log: { ...work.log, readStream } })
  expect((await campaigns.moves(campaignId)).at(-1)).toBe('CampaignSent')
  await finish(campaignId)
})

test('a page that is begun again says that the provider took one, where that was not heard of yet', async () => {
  const { campaignId, ids } = await started()
  const work = workOf()
  const due = (set: string) => db.pool.query(`update ops.campaign_run set due_at = '-infinity', expires_at = '-infinity', ${set}`)
  const isLeft = async () => (await db.pool.query('select from ops.campaign_recipient')).rowCount
  // The audience, then a page of two, twice; the last is not begun.
  for (let step = 0; step < 3; step++) {
    await due('wakes = wakes')
    await plan(work)
  }
  await until(async () => expect(await isLeft()).toBe(1), 5)
  await db.pool.query('insert into ops.campaign_recipient select $1, $2, unnest($3::uuid[]) on conflict do nothing', [
    WORKSPACE,
    campaignId,
    ids,
  ])
  await due(`accepted = false, refused = 1, after = '00000000-0000-0000-0000-000000000000'`)
  await plan(work)
  expect((await db.pool.query('select accepted from ops.campaign_run')).rows).toEqual([{ accepted: true }])
  await onceEach(campaignId, ids)
})

test('whatever planners, operators and restores do in whatever order, each gets one mail', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant({ what: 'plan' } as const) },
    { weight: 3, arbitrary: fc.nat(60).map((at) => ({ what: 'dies', at }) as const) },
    { weight: 3, arbitrary: fc.constantFrom(...(['pause', 'resume', 'start'] as const)).map((move) => ({ what: 'move', move }) as const) },
    { weight: 1, arbitrary: fc.constant({ what: 'at once' } as const) },
    { weight: 1, arbitrary: fc.constant({ what: 'falls back' } as const) },
  )
  const does = async (one: typeof step extends fc.Arbitrary<infer Step> ? Step : never, campaignId: CampaignId): Promise<void> => {
    switch (one.what) {
      case 'plan':
        await plan(workOf())
        return
      case 'dies':
        await plan(workOf(processThatDies(one.at).mortal)).catch(() => undefined)
        return
      case 'move':
        await campaigns
          .move(campaignId, one.move)
          .catch((error: unknown) => expect(error).toMatchObject({ code: 'campaign_move_not_allowed' }))
        return
      case 'at once':
        await leasesEnd()
        await Promise.all([plan(workOf()), leasesEnd().then(() => plan(workOf()))])
        return
      default:
        await db.pool.query('delete from ops.campaign_recipient; delete from ops.campaign_run')
        await wakeAgain(campaignId)
    }
  }
  const wakeAgain = async (campaignId: CampaignId): Promise<void> => {
    const tx = await db.pool.connect()
    await wake(tx, [{ workspaceId: WORKSPACE, campaignId }])
    tx.release()
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const { campaignId, ids } = await started()
      for (const one of steps) {
        await leasesEnd()
        await db.pool.query("update ops.campaign_run set due_at = '-infinity'")
        await does(one, campaignId)
      }
      await campaigns.move(campaignId, 'resume').catch(() => undefined)
      await wakeAgain(campaignId)
      await releaseHeld()
      await onceEach(campaignId, ids)
    }),
    { numRuns: 12 },
  )
})

/** What lanes had put off while it was paused, as the release does. */
const releaseHeld = async () => {
  await db.pool.query("update inbox.job set due_at = clock_timestamp() where deferred_for = 'campaign_paused'")
  await announceWaiting(db.pool)
}
