import { asCampaignId, asListId, type CampaignId, campaignStream, list, listStream, type Rule } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { admission } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { type ReadSide, ReadSideBehind } from '@tidings/projections'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { advanceNext } from '../../src/campaigns/advance-next.ts'
import { audienceWhenShown } from '../../src/campaigns/audience-when-shown.ts'
import { readCampaign } from '../../src/campaigns/read-campaign.ts'
import { giveBack, takeDue, wake } from '../../src/campaigns/run-table.ts'
import { startDynamicLists } from '../../src/dynamic-lists/start-dynamic-lists.ts'
import { createSenderIdView } from '../../src/views/sender-id-view.ts'
import { campaignRig, campaignWork, sendCampaigns } from '../testing/campaign-rig.ts'
import { flowRig } from '../testing/flow-rig.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

let db: TestDatabase
let rig: Rig
let given: ReturnType<typeof flowRig>
let campaigns: ReturnType<typeof campaignRig>
let running: Awaited<ReturnType<typeof sendCampaigns>> | null = null
const listId = asListId(crypto.randomUUID())

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  given = flowRig(rig)
  campaigns = campaignRig(rig, db.pool)
  await campaigns.prepare()
})
afterEach(async () => {
  await running?.stop()
  expect(withoutLateAnswers(running?.faults ?? [])).toEqual([])
  running = null
  await rig.close()
  await db.drop()
})

const rule = async (value: string): Promise<void> => {
  const wanted: Rule = { field: 'firstName', op: 'eq', value }
  const command = { type: 'ConfigureList', data: { listId, name: 'Adas', listType: 'dynamic', rule: wanted } } as const
  const context = { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
  await rig.runner.execute({ decider: list, stream: listStream(WORKSPACE, listId), command, context })
}
/** The state that the consumer of dynamic lists leaves: rules are known, and their runs wait for the read side. */
const takeRules = async (version: number): Promise<void> => {
  const lists = startDynamicLists({
    ...{ log: rig.log, pool: db.pool, requestPool: db.pool, commands: rig.runner },
    ...{ reads: { wait: async () => 'pending' }, idleMs: 20, logger: recordingLogger() },
  })
  const head = (await rig.log.head()).commit
  await until(async () => {
    const { rows } = await db.pool.query('select version from lists.run')
    expect(rows).toEqual([{ version }])
    expect(
      (
        await db.pool.query('select from ops.consumer_checkpoint where position_commit >= $1 and consumer_group = $2', [
          head,
          'dynamic-lists',
        ])
      ).rowCount,
    ).toBe(1)
  })
  await lists.stop()
}
/** The consumer has seen what was appended since. */
const handled = async () =>
  db.pool.query(`update ops.consumer_checkpoint set position_commit = $1 where consumer_group = 'dynamic-lists'`, [
    (await rig.log.head()).commit,
  ])
/** The run is over, and so are all reviews. */
const finishRun = async (): Promise<void> => {
  await db.pool.query('update lists.run set finished_at = clock_timestamp()')
  await db.pool.query(`delete from inbox.job where kind = 'dynamic-lists'`)
}
const draft = async () =>
  await campaigns.campaign({ listId, templateId: await given.template(), senderAddressId: await campaigns.senderAddressId() })
const row = async () => (await db.pool.query('select recipients, waits_for from ops.campaign_run')).rows[0]
const mailed = async () => (await db.pool.query('select recipient from outbox.message order by 1')).rows.map(({ recipient }) => recipient)
const theCampaign = async (): Promise<string> => (await db.pool.query('select campaign_id as id from ops.campaign_run')).rows[0].id
const moves = (campaignId: CampaignId, ...expected: string[]) =>
  until(async () => expect(await campaigns.moves(campaignId)).toEqual(expected.map((move) => `Campaign${move}`)))

it('waits until the newest rule has reached everybody, says so, and mails whom the rule has brought since', async () => {
  const [left, came] = [await given.contact('left@example.com'), await given.contact('came@example.com')]
  await rule('Ada')
  await campaigns.members(listId, [{ contactId: left, email: 'left@example.com' }])
  await takeRules(1)
  await finishRun()
  await rule('Bo')
  await takeRules(2)
  running = await sendCampaigns(rig, db.pool)
  const campaignId = asCampaignId(await draft())
  await campaigns.move(campaignId, 'start')
  await handled()
  await until(async () => expect(await row()).toEqual({ recipients: null, waits_for: 'rule_computing' }))
  await moves(campaignId, 'Started')

  await campaigns.leave(listId, left)
  await campaigns.members(listId, [{ contactId: came, email: 'came@example.com', addedAt: new Date().toISOString() }])
  await finishRun()
  await moves(campaignId, 'Started', 'AudienceTaken', 'Sent')
  expect(await mailed()).toEqual(['came@example.com'])
})

it('waits for the reviews of a run, and for those of changes before the start, but for no later ones', async () => {
  const contactId = await given.contact('ada@example.com')
  await rule('Ada')
  await takeRules(1)
  await finishRun()
  running = await sendCampaigns(rig, db.pool)
  const campaignId = asCampaignId(await draft())
  const job = async (lane: string, seq: bigint, reason: string) => {
    const payload = JSON.stringify({ contactId, lists: [listId], reason, prepare: reason === 'rule' ? null : '0' })
    await transaction(db.pool, (tx) => admission('dynamic-lists')(tx, [{ workspaceId: WORKSPACE, lane, seq, payload }]))
  }
  const settled = (lane: string) =>
    db.pool.query('delete from inbox.job where kind = $1 and lane = hashtextextended($2, 0)', ['dynamic-lists', lane])
  await job('of the run', 1_795_000_000_000_000n, 'rule')
  await job('before', (await rig.log.head()).commit, 'contact')
  await campaigns.move(campaignId, 'start')
  await given.contact('later@example.com')
  await job('later', (await rig.log.head()).commit, 'contact')
  await handled()
  await until(async () => expect(await row()).toEqual({ recipients: null, waits_for: 'rule_computing' }))
  await campaigns.members(listId, [{ contactId, addedAt: new Date().toISOString() }])
  await settled('of the run')
  expect(await row()).toMatchObject({ recipients: null })
  await settled('before')
  await moves(campaignId, 'Started', 'AudienceTaken', 'Sent')
  expect(await mailed()).toEqual(['ada@example.com'])
})

it('takes no audience from a read side that is behind, and is not failed for it', async () => {
  const contactId = await given.contact('ada@example.com')
  let shown: Awaited<ReturnType<ReadSide['wait']>> = 'pending'
  let asked = 0
  const wait = async () => {
    asked++
    return shown
  }
  running = await sendCampaigns(rig, db.pool, { reads: { wait } })
  const campaignId = asCampaignId(await draft())
  await campaigns.move(campaignId, 'start')
  await until(async () => expect(asked).toBeGreaterThan(2))
  await moves(campaignId, 'Started')
  await campaigns.members(listId, [{ contactId }])
  shown = 'visible'
  await moves(campaignId, 'Started', 'AudienceTaken', 'Sent')
  expect(await mailed()).toEqual(['ada@example.com'])
})

it('whose row a restore has lost goes on with whom it has, mails each once, and never ends as one without an audience', async () => {
  const contactId = await given.contact('ada@example.com')
  await campaigns.members(listId, [{ contactId }])
  const sending = await rig.consume('outbox')
  const campaignId = asCampaignId(await draft())
  await campaigns.move(campaignId, 'start')
  await transaction(db.pool, (tx) => wake(tx, [{ workspaceId: WORKSPACE, campaignId }]))
  // Its audience, and a page of it; the planner is gone before it can end the campaign.
  const work = { ...campaignWork(rig, db.pool), senderIds: createSenderIdView(rig.log), now: Date.now }
  const planner = { owner: crypto.randomUUID(), signal: new AbortController().signal, onFault: () => undefined }
  for (let step = 0; step < 2; step++) expect(await advanceNext(work, planner)).toBe(true)
  await until(async () => expect(await mailed()).toEqual(['ada@example.com']))
  await campaigns.move(campaignId, 'pause')
  await sending.stop()
  // Back to before the start, and the one who was mailed has left the list since.
  await transaction(db.pool, async (tx) => {
    await tx.query('delete from ops.campaign_run')
    await tx.query('delete from ops.campaign_recipient')
    await tx.query(`delete from ops.consumer_checkpoint where consumer_group = 'campaigns'`)
  })
  await campaigns.leave(listId, contactId)
  await campaigns.move(campaignId, 'resume')
  running = await sendCampaigns(rig, db.pool)
  await moves(campaignId, 'Started', 'AudienceTaken', 'Paused', 'Resumed', 'Sent')
  expect(await mailed()).toEqual(['ada@example.com'])
})

/** One look of a process that has no other. */
const look = (reads: Pick<ReadSide, 'wait'>) => {
  const work = { ...campaignWork(rig, db.pool), senderIds: createSenderIdView(rig.log), reads, now: Date.now }
  return async () => {
    const owned = await takeDue(db.pool, crypto.randomUUID(), Date.now() + 60_000)
    const known = owned && (await readCampaign(work, owned.run))
    if (owned === null || known === null) throw new Error('no campaign is due')
    try {
      return await audienceWhenShown(work, owned, known)
    } finally {
      await giveBack(db.pool, owned, { dueAt: 0 })
    }
  }
}
/** Campaigns are known to the table, and no planner is at work. */
const begin = async (): Promise<void> => {
  running = await sendCampaigns(rig, db.pool, { reads: { wait: async () => 'pending' } })
  await campaigns.move(asCampaignId(await draft()), 'start')
  await until(async () => expect(await row()).toEqual({ recipients: null, waits_for: null }))
  await running.stop()
}

it('asks anew for what the log has where the rule became another one while other processes had the campaign', async () => {
  await given.contact('ada@example.com')
  await rule('Ada')
  await takeRules(1)
  await finishRun()
  await begin()
  await handled()
  let shown = 0n
  const asked: bigint[] = []
  const wait = async (position: Position | null) => {
    if (position === null) return 'visible' as const
    asked.push(position.commit)
    return position.commit <= shown ? ('visible' as const) : ('pending' as const)
  }
  shown = (await rig.log.readStream(WORKSPACE, campaignStream(WORKSPACE, asCampaignId(await theCampaign())))).at(-1)?.position.commit ?? 0n
  await given.contact('other@example.com')
  const take = look({ wait })
  await expect(take()).rejects.toBeInstanceOf(ReadSideBehind)
  const first = asked.at(-1) ?? 0n
  expect(first).toBeGreaterThan(shown)

  await rule('Bo')
  await takeRules(2)
  await finishRun()
  await handled()
  shown = first
  await expect(take()).rejects.toBeInstanceOf(ReadSideBehind)
  expect(asked.at(-1)).toBeGreaterThan(first)
})

it('takes whom the rule has added since the start, also where no process saw that it was being computed', async () => {
  const contactId = await given.contact('ada@example.com')
  await rule('Ada')
  await takeRules(1)
  await begin()
  await campaigns.members(listId, [{ contactId, addedAt: new Date().toISOString() }])
  await finishRun()
  await handled()
  expect(await look({ wait: async () => 'visible' })()).toMatchObject({ recipients: 1, waitsFor: null })
})
