import { asCampaignId, asContactId, asListId, asTemplateId, type CampaignId, type CampaignSettings, type ContactId } from '@tidings/domain'
import { listDeadLetters } from '@tidings/jobs'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { giveUpMessage } from '../../src/send/discard-letter.ts'
import { campaignRig, sendCampaigns } from '../testing/campaign-rig.ts'
import { flowRig, type TestClock, testClock } from '../testing/flow-rig.ts'
import { quietNow } from '../testing/quiet-now.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

let db: TestDatabase
let rig: Rig
let clock: TestClock
let given: ReturnType<typeof flowRig>
let campaigns: ReturnType<typeof campaignRig>
let running: Awaited<ReturnType<typeof sendCampaigns>> | null = null
const listId = asListId(crypto.randomUUID())

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  clock = testClock(db.pool)
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

const HOUR = 3_600_000
const send = async (provider?: string) => {
  running = await sendCampaigns(rig, db.pool, { now: clock.now, ...(provider && { provider }) })
}
const member = async (email: string, consent: 'subscribed' | 'never_subscribed' = 'subscribed'): Promise<string> => {
  const contactId = await given.contact(email, { firstName: email.split('@')[0] ?? '' }, consent)
  await campaigns.members(listId, [{ contactId, email, consent }])
  return contactId
}
const membersNamed = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => member(`m${n}@example.com`)))
const draft = async (settings: Partial<CampaignSettings> = {}): Promise<string> =>
  await campaigns.campaign({
    listId,
    templateId:
      'split' in settings ? null : await given.template({ subject: 'Hi {{firstName}}', html: '<a href="https://shop.example/">Sale</a>' }),
    senderAddressId: await campaigns.senderAddressId(),
    ...settings,
  })
type Mail = Readonly<{ recipient: string; subject: string; html: string; headers: Record<string, string> }>
const mails = async () =>
  (
    await db.pool.query<Mail>('select recipient, subject, html, headers from outbox.message where channel = $1 order by recipient', [
      'email',
    ])
  ).rows
const recipients = async () => (await mails()).map(({ recipient }) => recipient)
const goes = (campaignId: CampaignId, ...moves: string[]) =>
  until(async () => expect(await campaigns.moves(campaignId)).toEqual(moves.map((move) => `Campaign${move}`)))
const outcome = async (campaignId: CampaignId, contactId: ContactId) => (await campaigns.message(campaignId, contactId)).at(-1)
const left = async () => (await db.pool.query('select from ops.campaign_run union all select from ops.campaign_recipient')).rowCount
const waiting = async () =>
  (
    await db.pool.query(
      "select from inbox.job where kind = 'send-marketing-email' and token is null and due_at > clock_timestamp() + interval '1 minute'",
    )
  ).rowCount

describe('a campaign', () => {
  test('goes to each member who subscribed, once, and ends as sent', async () => {
    const ids = await membersNamed(3)
    const stranger = asContactId(await member('stranger@example.com', 'never_subscribed'))
    const late = await given.contact('late@example.com')
    await campaigns.members(listId, [{ contactId: late, email: 'late@example.com', addedAt: '2999-01-01' }])
    const campaignId = asCampaignId(await draft())
    await campaigns.move(campaignId, 'start')
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toEqual(['m0@example.com', 'm1@example.com', 'm2@example.com'])
    const [mail] = await mails()
    expect(mail?.subject).toBe('Hi m0')
    expect(mail?.headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })
    expect(mail?.html).toContain('/c?t=')
    for (const contactId of ids) {
      const events = await campaigns.message(campaignId, asContactId(contactId))
      expect(events.map(({ type, data }) => [type, 'campaign' in data && data.campaign])).toEqual([
        ['EmailAccepted', { campaignId, variant: 0 }],
        ['MessageSent', { campaignId, variant: 0 }],
      ])
      expect(events[0]?.meta.actor).toBe(`campaign:${campaignId}`)
    }
    for (const contactId of [stranger, late]) expect(await campaigns.message(campaignId, contactId)).toEqual([])
    await until(async () => expect(await left()).toBe(0))
  })

  test('splits its audience between its variants', async () => {
    await membersNamed(40)
    const [a, b] = [await given.template({ subject: 'A' }), await given.template({ subject: 'B' })]
    const campaignId = asCampaignId(
      await draft({
        split: [
          { templateId: asTemplateId(a), weight: 1 },
          { templateId: asTemplateId(b), weight: 1 },
        ],
        variants: 2,
      }),
    )
    await campaigns.move(campaignId, 'start')
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    const subjects = (await mails()).map(({ subject }) => subject)
    expect(subjects).toHaveLength(40)
    expect(new Set(subjects)).toEqual(new Set(['A', 'B']))
  })

  test('fails where no contact may get it, where its template is gone, and where its sender is not verified', async () => {
    const empty = asCampaignId(await draft({ listId: asListId(crypto.randomUUID()) }))
    await member('ada@example.com')
    const templateId = await given.template()
    await given.archive(templateId)
    const noTemplate = asCampaignId(await draft({ templateId }))
    const noSender = asCampaignId(await draft({ senderAddressId: crypto.randomUUID() }))
    for (const campaignId of [empty, noTemplate, noSender]) await campaigns.move(asCampaignId(campaignId), 'start')
    await send()
    for (const campaignId of [empty, noTemplate, noSender]) await goes(asCampaignId(campaignId), 'Started', 'AudienceTaken', 'Failed')
    expect(await campaigns.last(empty)).toMatchObject({ data: { reason: 'no_audience' } })
    expect(await campaigns.last(noTemplate)).toMatchObject({ data: { reason: 'template_gone' } })
    expect(await campaigns.last(noSender)).toMatchObject({ data: { reason: 'no_valid_sender' } })
    expect(await mails()).toEqual([])
    await until(async () => expect(await left()).toBe(0))
  })

  test('mails who left the list after the start, not who lost the consent; all of them skipped is sent', async () => {
    const [left, unsubscribed] = [asContactId(await member('left@example.com')), asContactId(await member('out@example.com'))]
    const campaignId = asCampaignId(await draft())
    await given.marketingRules({ quietHours: quietNow() })
    await campaigns.move(campaignId, 'start')
    await send()
    await until(async () => expect(await waiting()).toBe(2))
    await campaigns.leave(listId, left)
    await given.consent(unsubscribed, 'unsubscribed')
    await given.marketingRules({ quietHours: null })
    await clock.advance(24 * HOUR)
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toEqual(['left@example.com'])
    expect(await outcome(campaignId, unsubscribed)).toMatchObject({ type: 'MessageSkipped', data: { reason: 'no_consent' } })
  })

  test('leaves a failed message for who its template cannot be rendered for, and goes to the others', async () => {
    const ada = asContactId(await member('ada@example.com'))
    const nameless = await given.contact('nameless@example.com')
    await campaigns.members(listId, [{ contactId: nameless, email: 'nameless@example.com' }])
    const campaignId = asCampaignId(await draft({ templateId: await given.template({ subject: '{{firstName}}' }) }))
    await campaigns.move(campaignId, 'start')
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toEqual(['ada@example.com'])
    expect(await outcome(campaignId, ada)).toMatchObject({ type: 'MessageSent' })
    const variant = { campaign: { campaignId, variant: 0 } }
    expect(await campaigns.message(campaignId, nameless)).toMatchObject([
      { type: 'EmailAccepted', data: { to: 'nameless@example.com', content: null, contentId: null, ...variant } },
      { type: 'MessageFailed', data: { reason: 'template_render_failed', ...variant } },
    ])
  })

  test('starts when its time has come, is paused when that is more than an hour over, and begins by its resume', async () => {
    await member('ada@example.com')
    const [onTime, late] = [await draft(), await draft()]
    const in2 = new Date(Date.now() + 2 * HOUR).toISOString()
    await campaigns.move(asCampaignId(onTime), 'schedule', undefined, in2)
    await campaigns.move(asCampaignId(late), 'schedule', undefined, new Date(Date.now() + HOUR / 2).toISOString())
    await send()
    await until(async () => expect((await db.pool.query('select from ops.campaign_run where due_at > now()')).rowCount).toBe(2))
    await clock.advance(2 * HOUR + 1_000)
    await goes(asCampaignId(onTime), 'Scheduled', 'Started', 'AudienceTaken', 'Sent')
    await goes(asCampaignId(late), 'Scheduled', 'Paused')
    expect(await campaigns.last(asCampaignId(late))).toMatchObject({ data: { reason: 'late' } })
    await campaigns.move(asCampaignId(late), 'resume')
    await goes(asCampaignId(late), 'Scheduled', 'Paused', 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toEqual(['ada@example.com', 'ada@example.com'])
  })
})

describe('a campaign that is stopped in the middle', () => {
  /** All are queued, and wait for the end of quiet hours. */
  const allWaiting = async (settings: Partial<CampaignSettings> = {}) => {
    const ids = await membersNamed(5)
    await given.marketingRules({ quietHours: quietNow() })
    const campaignId = asCampaignId(await draft(settings))
    await campaigns.move(campaignId, 'start')
    await send()
    await until(async () => expect(await waiting()).toBe(5))
    return { ids, campaignId }
  }

  test('is sending while quiet hours defer its messages; a cancel skips them at once', async () => {
    const { ids, campaignId } = await allWaiting()
    expect(await campaigns.moves(asCampaignId(campaignId))).toEqual(['CampaignStarted', 'CampaignAudienceTaken'])
    await campaigns.move(asCampaignId(campaignId), 'cancel')
    await until(async () => {
      for (const contactId of ids)
        expect(await outcome(asCampaignId(campaignId), asContactId(contactId))).toMatchObject({
          type: 'MessageSkipped',
          data: { reason: 'campaign_cancelled' },
        })
    })
    await until(async () => expect(await left()).toBe(0))
    expect(await mails()).toEqual([])
  })

  test('skips who is in quiet hours where it says so', async () => {
    await membersNamed(2)
    await given.marketingRules({ quietHours: quietNow() })
    const campaignId = asCampaignId(await draft({ quietHours: 'skip' }))
    await campaigns.move(campaignId, 'start')
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    expect(await mails()).toEqual([])
  })

  test('sends nothing while it is paused, whatever was queued, and the rest once it goes on', async () => {
    const { campaignId } = await allWaiting()
    await campaigns.move(asCampaignId(campaignId), 'pause')
    await given.marketingRules({ quietHours: null })
    await clock.advance(24 * HOUR)
    await until(async () => expect(await waiting()).toBe(5))
    expect(await mails()).toEqual([])
    await campaigns.move(asCampaignId(campaignId), 'resume')
    await goes(asCampaignId(campaignId), 'Started', 'AudienceTaken', 'Paused', 'Resumed', 'Sent')
    expect(await recipients()).toHaveLength(5)
  })

  test('keeps no other campaign from its contacts while it is paused', async () => {
    const { campaignId } = await allWaiting()
    await campaigns.move(asCampaignId(campaignId), 'pause')
    await given.marketingRules({ quietHours: null })
    await clock.advance(24 * HOUR)
    await until(async () => expect(await waiting()).toBe(5))
    const other = asCampaignId(await draft())
    await campaigns.move(other, 'start')
    await goes(other, 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toHaveLength(5)
    await campaigns.move(asCampaignId(campaignId), 'resume')
    await goes(asCampaignId(campaignId), 'Started', 'AudienceTaken', 'Paused', 'Resumed', 'Sent')
    expect(await recipients()).toHaveLength(10)
  })

  test('sends nothing of what was queued once it has failed', async () => {
    const ids = await membersNamed(5)
    await given.marketingRules({ quietHours: quietNow() })
    const campaignId = asCampaignId(await draft())
    await campaigns.move(campaignId, 'start')
    await send()
    await until(async () => expect(await waiting()).toBe(5))
    await campaigns.fail(campaignId, 'provider_refused')
    await given.marketingRules({ quietHours: null })
    await clock.advance(24 * HOUR)
    await until(async () => {
      for (const contactId of ids)
        expect(await outcome(campaignId, asContactId(contactId))).toMatchObject({
          type: 'MessageSkipped',
          data: { reason: 'campaign_cancelled' },
        })
    })
    expect(await mails()).toEqual([])
    await until(async () => expect(await left()).toBe(0))
  })

  test('begins no recipient after a pause or a cancel that came before it was planned', async () => {
    const ids = await membersNamed(3)
    const [paused, cancelled] = [await draft(), await draft()]
    for (const campaignId of [paused, cancelled]) await campaigns.move(asCampaignId(campaignId), 'start')
    await campaigns.move(asCampaignId(paused), 'pause')
    await campaigns.move(asCampaignId(cancelled), 'cancel')
    await send()
    await until(async () => expect((await db.pool.query("select from ops.campaign_run where due_at = 'infinity'")).rowCount).toBe(1))
    await until(async () => expect((await db.pool.query('select from ops.campaign_run')).rowCount).toBe(1))
    for (const contactId of ids)
      for (const campaignId of [paused, cancelled])
        expect(await campaigns.message(asCampaignId(campaignId), asContactId(contactId))).toEqual([])
    await campaigns.move(asCampaignId(paused), 'resume')
    await goes(asCampaignId(paused), 'Started', 'Paused', 'Resumed', 'AudienceTaken', 'Sent')
    expect(await recipients()).toHaveLength(3)
  })

  test('waits while its workspace is suspended', async () => {
    await membersNamed(2)
    await given.workspaceIs('suspended')
    const campaignId = asCampaignId(await draft())
    await campaigns.move(campaignId, 'start')
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken')
    expect(await mails()).toEqual([])
    await given.workspaceIs('active')
    await clock.advance(6_000)
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toHaveLength(2)
  })

  test('is paused as late when its workspace is suspended for more than an hour, and mails no member at the resume', async () => {
    await membersNamed(2)
    await given.workspaceIs('suspended')
    const campaignId = asCampaignId(await draft())
    await campaigns.move(campaignId, 'start')
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken')
    const since = () => db.pool.query('select from ops.campaign_run where suspended_since is not null')
    await until(async () => expect((await since()).rowCount).toBe(1))
    await clock.advance(HOUR + 1_000)
    await goes(campaignId, 'Started', 'AudienceTaken', 'Paused')
    expect((await campaigns.last(campaignId))?.data).toEqual({ campaignId, reason: 'late' })
    await given.workspaceIs('active')
    await clock.advance(10_000)
    expect(await mails()).toEqual([])
    await campaigns.move(campaignId, 'resume')
    await goes(campaignId, 'Started', 'AudienceTaken', 'Paused', 'Resumed', 'Sent')
    expect(await recipients()).toHaveLength(2)
  })

  test('goes on after a suspension of less than an hour, and after two that are more together', async () => {
    await membersNamed(1)
    const campaignId = asCampaignId(await draft())
    await given.workspaceIs('suspended')
    await campaigns.move(campaignId, 'start')
    await send()
    const isSeen = (count: number) => async () =>
      expect((await db.pool.query('select from ops.campaign_run where suspended_since is not null')).rowCount).toBe(count)
    await until(isSeen(1))
    await given.marketingRules({ quietHours: quietNow() })
    await clock.advance(HOUR - 60_000)
    await given.workspaceIs('active')
    await clock.advance(6_000)
    await until(isSeen(0))
    await given.workspaceIs('suspended')
    await clock.advance(6_000)
    await until(isSeen(1))
    await clock.advance(HOUR - 60_000)
    await given.workspaceIs('active')
    await clock.advance(6_000)
    await until(isSeen(0))
    await given.marketingRules({ quietHours: null })
    await clock.advance(24 * HOUR)
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
  })
})

describe('the texts of a campaign', () => {
  /** Two members, one of them begun before the pause. */
  const halfSent = async () => {
    const listOfOne = asListId(crypto.randomUUID())
    const templateId = await given.template({ subject: 'Old' })
    const campaignId = await draft({ templateId, listId: listOfOne })
    await campaigns.members(listOfOne, [{ contactId: await given.contact('one@example.com'), email: 'one@example.com' }])
    return { campaignId, templateId }
  }
  const subjects = async () => (await mails()).map(({ subject }) => subject)

  test('are those of its start, whatever is applied before they are sent', async () => {
    const { campaignId, templateId } = await halfSent()
    await given.changeTemplate(asTemplateId(templateId), { subject: 'At the start' })
    await campaigns.move(asCampaignId(campaignId), 'start')
    await given.changeTemplate(asTemplateId(templateId), { subject: 'Newer' })
    await send()
    await goes(asCampaignId(campaignId), 'Started', 'AudienceTaken', 'Sent')
    expect(await subjects()).toEqual(['At the start'])
  })

  test('stay those over a pause, and are the newest where its end says so', async () => {
    for (const choose of [campaigns.resumeWithNewestTexts, (id: CampaignId) => campaigns.move(id, 'resume')]) {
      const { campaignId, templateId } = await halfSent()
      await campaigns.move(asCampaignId(campaignId), 'start')
      await campaigns.move(asCampaignId(campaignId), 'pause')
      await given.changeTemplate(asTemplateId(templateId), { subject: 'Newer' })
      await choose(asCampaignId(campaignId))
      await given.changeTemplate(asTemplateId(templateId), { subject: 'Newest' })
      running ??= await sendCampaigns(rig, db.pool, { now: clock.now })
      await goes(asCampaignId(campaignId), 'Started', 'Paused', 'Resumed', 'AudienceTaken', 'Sent')
    }
    expect((await subjects()).toSorted()).toEqual(['Newer', 'Old'])
  })

  test('of an archived template are not sent', async () => {
    const { campaignId, templateId } = await halfSent()
    await campaigns.move(asCampaignId(campaignId), 'start')
    await given.changeTemplate(asTemplateId(templateId), { subject: 'Old' }, true)
    await send()
    await goes(asCampaignId(campaignId), 'Started', 'AudienceTaken', 'Failed')
  })
})

test('a dead letter keeps a campaign sending until it is given up; its message has failed then', async () => {
  const [ada, bob] = [asContactId(await member('ada@example.com')), asContactId(await member('bob@example.com'))]
  await given.marketingRules({ quietHours: quietNow() })
  const campaignId = asCampaignId(await draft())
  await campaigns.move(campaignId, 'start')
  await send()
  await until(async () => expect(await waiting()).toBe(2))
  const messageId = campaigns.messageId(campaignId, ada)
  await db.pool.query(
    `with claimed as (update inbox.job set token = 1 where payload = $1 returning kind, lane, seq)
     select inbox.move_to_dead_letter(kind, lane, seq, 1, 'TypeError', 'cannot be') from claimed`,
    [messageId],
  )
  await given.marketingRules({ quietHours: null })
  await clock.advance(24 * HOUR)
  await until(async () => expect(await outcome(campaignId, bob)).toMatchObject({ type: 'MessageSent' }))
  const [letter] = await listDeadLetters(db.pool)
  if (letter === undefined) throw new Error('there is no dead letter')
  expect(letter).toMatchObject({ source: 'job', payload: messageId })
  expect(await campaigns.moves(campaignId)).toEqual(['CampaignStarted', 'CampaignAudienceTaken'])
  expect(await giveUpMessage(rig.runner, letter)).not.toBeNull()
  expect(await giveUpMessage(rig.runner, letter)).toBeNull()
  await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
  expect(await outcome(campaignId, ada)).toMatchObject({
    type: 'MessageFailed',
    meta: { actor: 'operator' },
    data: { reason: 'undeliverable' },
  })
  await until(async () => expect(await left()).toBe(0))
  const sent = { ...letter, payload: campaigns.messageId(campaignId, bob) }
  expect(await giveUpMessage(rig.runner, sent)).toBeNull()
  expect(await giveUpMessage(rig.runner, { ...letter, consumer: 'flow-run' })).toBeNull()
})

describe('what was planned', () => {
  test('may be forgotten: no contact gets a second message, and none is left out', async () => {
    const ids = await membersNamed(6)
    await given.marketingRules({ quietHours: quietNow() })
    const campaignId = asCampaignId(await draft())
    await campaigns.move(campaignId, 'start')
    await send()
    await until(async () => expect(await waiting()).toBe(6))
    await running?.stop()
    // This is the state after a restore of the database alone, to a moment before the start was handled: the log knows the audience and its messages.
    await db.pool.query(
      `delete from ops.campaign_run; delete from ops.campaign_recipient; delete from ops.consumer_checkpoint where consumer_group = 'campaigns'`,
    )
    await given.marketingRules({ quietHours: null })
    await clock.advance(24 * HOUR)
    await send()
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    expect(await recipients()).toHaveLength(6)
    for (const contactId of ids)
      expect((await campaigns.message(campaignId, asContactId(contactId))).map(({ type }) => type)).toEqual([
        'EmailAccepted',
        'MessageSent',
      ])
  })

  test('is sent once by two processes that both plan and send', async () => {
    await membersNamed(250)
    const campaignId = asCampaignId(await draft())
    await send()
    const other = await sendCampaigns(rig, db.pool, { now: clock.now })
    await campaigns.move(campaignId, 'start')
    await goes(campaignId, 'Started', 'AudienceTaken', 'Sent')
    await other.stop()
    const all = await recipients()
    expect([all.length, new Set(all).size]).toEqual([250, 250])
    expect(withoutLateAnswers(other.faults)).toEqual([])
  })
})

test('one workspace is the only one that a campaign can reach', async () => {
  const foreign = crypto.randomUUID()
  await db.pool.query('insert into read.profiles values ($1, $2, $3, null, $4, $4)', [
    foreign,
    crypto.randomUUID(),
    'eve@example.com',
    'subscribed',
  ])
  await db.pool.query('insert into read.list_members select workspace_id, $1, id, now() from read.profiles where workspace_id = $2', [
    listId,
    foreign,
  ])
  const campaignId = asCampaignId(await draft())
  await campaigns.move(campaignId, 'start')
  await send()
  await goes(campaignId, 'Started', 'AudienceTaken', 'Failed')
  expect(WORKSPACE).not.toBe(foreign)
  expect(await mails()).toEqual([])
})
