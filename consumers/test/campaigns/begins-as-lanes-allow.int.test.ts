import { handledUpTo } from '@tidings/bus'
import { asContactId, asListId, type CampaignId, type ContactId } from '@tidings/domain'
import type { DeferredFor } from '@tidings/jobs'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { advanceNext } from '../../src/campaigns/advance-next.ts'
import { lanesOf, roomInLanes } from '../../src/campaigns/room-in-lanes.ts'
import { wake } from '../../src/campaigns/run-table.ts'
import { createSenderIdView } from '../../src/views/sender-id-view.ts'
import { campaignRig, campaignWork } from '../testing/campaign-rig.ts'
import { flowRig } from '../testing/flow-rig.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

/** Planners that do the next thing when the test says so. Nothing is admitted or sent before a test says so either. */
let db: TestDatabase
let rig: Rig
let given: ReturnType<typeof flowRig>
let campaigns: ReturnType<typeof campaignRig>
let ahead = 0

beforeEach(async () => {
  ahead = 0
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  given = flowRig(rig)
  campaigns = campaignRig(rig, db.pool)
  await campaigns.prepare()
})
afterEach(async () => {
  await rig.close()
  await db.drop()
})

const now = (): number => Date.now() + ahead
const plan = async () => {
  const work = { ...campaignWork(rig, db.pool), senderIds: createSenderIdView(rig.log), now, pageOf: 2 }
  const faults: unknown[] = []
  await advanceNext(work, {
    owner: crypto.randomUUID(),
    signal: new AbortController().signal,
    onFault: (error) => void faults.push(error),
  })
  expect(withoutLateAnswers(faults)).toEqual([])
}
/** Looks at every campaign again, so many times. */
const look = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n++) {
    await db.pool.query(`update ops.campaign_run set due_at = '-infinity' where campaign_id <> $1`, [WORKSPACE])
    await plan()
  }
}
const started = async (members: number): Promise<Readonly<{ campaignId: CampaignId; ids: readonly ContactId[] }>> => {
  const listId = asListId(crypto.randomUUID())
  const ids = await Promise.all(Array.from({ length: members }, () => given.contact(`${crypto.randomUUID()}@example.com`)))
  await campaigns.members(
    listId,
    ids.map((contactId) => ({ contactId })),
  )
  const templateId = await given.template()
  const campaignId = await campaigns.campaign({ listId, templateId, senderAddressId: await campaigns.senderAddressId() })
  await campaigns.move(campaignId, 'start')
  const tx = await db.pool.connect()
  await wake(tx, [{ workspaceId: WORKSPACE, campaignId }])
  tx.release()
  return { campaignId, ids: ids.toSorted() }
}
const begun = async (campaignId: CampaignId, ids: readonly string[]): Promise<number> => {
  const messages = await Promise.all(ids.map((contactId) => campaigns.message(campaignId, asContactId(contactId))))
  return messages.filter(({ length }) => length > 0).length
}
/** Another campaign, of any process and workspace, is so many ahead of the consumer. */
const anotherIsAhead = (messages: number, by: string) =>
  db.pool.query(
    `insert into ops.campaign_run (campaign_id, workspace_id, due_at, begun, ahead, admitted_by) values ($1, $1, 'infinity', 9000000000, $2, $3)`,
    [WORKSPACE, messages, by],
  )

describe('a campaign whose messages are not admitted', () => {
  test('counts what it has begun, until its consumer has handled it', async () => {
    const { campaignId, ids } = await started(5)
    await look(4)
    expect(await begun(campaignId, ids)).toBe(5)
    const { rows } = await db.pool.query<{ ahead: number; begun: bigint }>('select ahead, begun from ops.campaign_run')
    expect(rows[0]?.ahead).toBe(5)
    const room = async () =>
      roomInLanes(db.pool, { ...lanesOf('email'), workspaceId: WORKSPACE, handled: await handledUpTo(db.pool, lanesOf('email').group) })
    expect(await room()).toBe(995)
    await rig.consume('outbox')
    await until(async () => expect(await handledUpTo(db.pool, lanesOf('email').group)).toBeGreaterThanOrEqual(rows[0]?.begun ?? 0n))
    await until(async () => expect(await room()).toBe(1_000))
  })

  test('waits while all campaigns of its channel together are far ahead, and goes on when the consumer has caught up', async () => {
    const { campaignId, ids } = await started(5)
    await anotherIsAhead(999, lanesOf('email').group)
    await look(4)
    expect(await begun(campaignId, ids)).toBe(0)
    await db.pool.query(
      'insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ($1, 9000000000, 0)',
      [lanesOf('email').group],
    )
    await look(3)
    expect(await begun(campaignId, ids)).toBe(5)
  })

  test('looks again the sooner the less room is missing', async () => {
    await started(5)
    await look(1)
    const waitsFor = async (messages: number): Promise<readonly [number, number]> => {
      await anotherIsAhead(messages, lanesOf('email').group)
      const before = now()
      await look(1)
      const { rows } = await db.pool.query<{ due: number }>(
        'select (extract(epoch from due_at) * 1000)::float8 as due from ops.campaign_run where campaign_id <> $1',
        [WORKSPACE],
      )
      await db.pool.query('delete from ops.campaign_run where campaign_id = $1', [WORKSPACE])
      const due = rows[0]?.due ?? 0
      return [due - before, due - now()]
    }
    for (const [messages, ms] of [
      [999, 20],
      [1_398, 200],
      [9_000, 250],
    ] as const) {
      const [atLeast, atMost] = await waitsFor(messages)
      expect(atLeast).toBeGreaterThanOrEqual(ms)
      expect(atMost).toBeLessThanOrEqual(ms)
    }
  })

  test('is not kept back by the other channel', async () => {
    const { campaignId, ids } = await started(1)
    await anotherIsAhead(5_000, lanesOf('sms').group)
    await look(2)
    expect(await begun(campaignId, ids)).toBe(1)
  })
})

describe('the room of a workspace', () => {
  type Jobs = Readonly<{ count: number; attempt?: number; due: string; lanes?: number; waitsFor?: DeferredFor; of?: string }>
  const jobs = ({ count, attempt = 0, due, lanes = count, waitsFor, of }: Jobs) =>
    db.pool.query(
      `insert into inbox.job (kind, lane, seq, workspace_id, payload, attempt, due_at, aside, deferred_for, deferred_by)
       select $1, n % $2::int, nextval('inbox.claim_token'), $3, 'p', $4, ${due}, coalesce($5::text <> 'retry', false), $5, $6 from generate_series(1, $7::int) n`,
      [lanesOf('email').kind, lanes, WORKSPACE, attempt, waitsFor ?? null, of ?? null, count],
    )
  const room = () => roomInLanes(db.pool, { ...lanesOf('email'), workspaceId: WORKSPACE, handled: 0n })
  const IN_AN_HOUR = `clock_timestamp() + interval '1 hour'`

  test('is less by what is due soon and by what waits behind that in its lane', async () => {
    await jobs({ count: 10, due: 'clock_timestamp()' })
    await jobs({ count: 30, due: 'null', lanes: 10 })
    expect(await room()).toBe(960)
    await jobs({ count: 2_000, due: 'null', lanes: 10 })
    expect(await room()).toBeLessThanOrEqual(0)
  })

  test('ends where ten thousand wait for another try, however late', async () => {
    await jobs({ count: 9_900, attempt: 2, due: IN_AN_HOUR, waitsFor: 'retry' })
    expect(await room()).toBe(100)
    await jobs({ count: 200, attempt: 1, due: IN_AN_HOUR })
    expect(await room()).toBe(0)
  })

  test('is not less by what a pause or quiet hours defer', async () => {
    await jobs({ count: 12_000, attempt: 1, due: IN_AN_HOUR, waitsFor: 'campaign_paused', of: crypto.randomUUID() })
    await jobs({ count: 12_000, due: IN_AN_HOUR, waitsFor: 'quiet_hours', of: crypto.randomUUID() })
    await jobs({ count: 12_000, attempt: 1, due: IN_AN_HOUR, waitsFor: 'quiet_hours' })
    expect(await room()).toBe(1_000)
  })
})

describe('a campaign whose provider refuses', () => {
  const MINUTE = 60_000
  const refused = (accepted = false) => db.pool.query('update ops.campaign_run set refused = 50, accepted = $1', [accepted])
  const later = async (ms: number): Promise<void> => {
    ahead += ms
    await plan()
  }

  test('begins one recipient a minute, and all of them once one was taken', async () => {
    const { campaignId, ids } = await started(8)
    await look(1)
    await refused()
    await look(1)
    expect(await begun(campaignId, ids)).toBe(1)
    await later(MINUTE / 2)
    expect(await begun(campaignId, ids)).toBe(1)
    await later(MINUTE)
    expect(await begun(campaignId, ids)).toBe(2)
    await refused(true)
    await look(4)
    expect(await begun(campaignId, ids)).toBe(8)
  })

  const oneMore = () => db.pool.query('update ops.campaign_run set refused = refused + 1')
  const triesRefused = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await oneMore()
      await later(MINUTE)
    }
  }

  test('fails where it has refused one a minute for ten minutes', async () => {
    const { campaignId } = await started(30)
    await look(1)
    await refused()
    await look(1)
    await triesRefused(9)
    expect(await campaigns.moves(campaignId)).not.toContain('CampaignFailed')
    await triesRefused(1)
    expect(await campaigns.last(campaignId)).toMatchObject({ type: 'CampaignFailed', data: { reason: 'provider_refused' } })
  })

  test('is given another where no process has tried it for ten minutes', async () => {
    const { campaignId, ids } = await started(8)
    await look(1)
    await refused()
    await look(1)
    // The last of what had been begun before are refused as the service is stopped.
    await db.pool.query('update ops.campaign_run set refused = 200')
    await later(11 * MINUTE)
    expect(await begun(campaignId, ids)).toBe(2)
    expect(await campaigns.moves(campaignId)).not.toContain('CampaignFailed')
  })

  test('is given others while it answers none of them', async () => {
    const { campaignId, ids } = await started(20)
    await look(1)
    await refused()
    await look(1)
    for (let minute = 0; minute < 12; minute++) await later(MINUTE)
    expect(await begun(campaignId, ids)).toBe(13)
    expect(await campaigns.moves(campaignId)).not.toContain('CampaignFailed')
  })

  test.each([
    ['its workspace was suspended', () => given.workspaceIs('suspended'), () => given.workspaceIs('active')],
    [
      'its lanes had no room',
      () => anotherIsAhead(1_000, lanesOf('email').group),
      () => db.pool.query('delete from ops.campaign_run where campaign_id = $1', [WORKSPACE]),
    ],
  ])('begins to wait anew after %s', async (_, begin, release) => {
    const { campaignId } = await started(30)
    await look(1)
    await refused()
    await look(1)
    await triesRefused(9)
    await begin()
    await look(1)
    await release()
    await oneMore()
    ahead += 60 * MINUTE
    await look(1)
    expect(await campaigns.moves(campaignId)).not.toContain('CampaignFailed')
  })

  test('begins to wait anew after a pause', async () => {
    const { campaignId } = await started(30)
    await look(1)
    await refused()
    await look(1)
    await campaigns.move(campaignId, 'pause')
    await look(1)
    await campaigns.move(campaignId, 'resume')
    ahead += 60 * MINUTE
    await look(1)
    expect(await campaigns.moves(campaignId)).not.toContain('CampaignFailed')
  })
})

describe('an audience', () => {
  test('is not taken by a planner that has lost the campaign', async () => {
    const { campaignId } = await started(3)
    const work = campaignWork(rig, db.pool)
    const wait = async () => {
      // Another process takes it over, and the operator has cancelled it: nothing of it is left.
      await campaigns.move(campaignId, 'cancel')
      await db.pool.query(`update ops.campaign_run set expires_at = '-infinity', due_at = '-infinity'`)
      await plan()
      expect((await db.pool.query('select from ops.campaign_run')).rowCount).toBe(0)
      return 'visible' as const
    }
    const late = { ...work, senderIds: createSenderIdView(rig.log), now, reads: { wait } }
    const faults: unknown[] = []
    await advanceNext(late, { owner: 'late', signal: new AbortController().signal, onFault: (error) => void faults.push(error) })
    expect((await db.pool.query('select from ops.campaign_recipient')).rowCount).toBe(0)
    expect(withoutLateAnswers(faults)).toEqual([])
  })

  test('that is being taken by one is waited for before it is forgotten', async () => {
    const { campaignId } = await started(3)
    await look(1)
    // The transaction of a planner that has lost the campaign, not committed yet.
    const lost = await db.pool.connect()
    await lost.query('begin')
    await lost.query('insert into ops.campaign_recipient select $1, $2, $3', [
      WORKSPACE,
      campaignId,
      '00000000-0000-0000-0000-000000000000',
    ])
    await lost.query('insert into ops.campaign_recipient select $1, $2, gen_random_uuid() from generate_series(1, 100)', [
      WORKSPACE,
      campaignId,
    ])
    await campaigns.move(campaignId, 'cancel')
    const forgetting = look(1)
    await until(async () =>
      expect(
        (
          await db.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%campaign_recipient%'`,
          )
        ).rowCount,
      ).toBe(1),
    )
    await lost.query('commit')
    lost.release()
    await forgetting
    expect((await db.pool.query('select from ops.campaign_recipient')).rowCount).toBe(0)
  })
})
