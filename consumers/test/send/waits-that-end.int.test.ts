import { asFlowId, asListId, asMessageId, asTemplateId, contactStream, type MessageId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { beforeEach, expect, test } from 'vitest'
import { campaignRig, sendCampaigns } from '../testing/campaign-rig.ts'
import { flowRig, sends, testClock, walk } from '../testing/flow-rig.ts'
import { quietNow } from '../testing/quiet-now.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending } from '../testing/sending.ts'

const HOUR = 3_600_000

const waitingFor = async () =>
  (
    await db.pool.query<{ waits: string }>(
      "select concat_ws(' ', deferred_for, deferred_by) as waits from inbox.job where aside and token is null",
    )
  ).rows.map(({ waits }) => waits)
const messageIds = async () => (await db.pool.query<{ message_id: MessageId }>('select message_id from ops.flow_message')).rows

setUpSending()
let clock: ReturnType<typeof testClock>
beforeEach(() => {
  clock = testClock(db.pool)
})

/** A contact whose flow has a message that waits for the end of quiet hours. */
const waiting = async () => {
  const flows = flowRig(rig)
  const flowId = await flows.configure({ trigger: { type: 'contact_created' }, steps: [sends(asTemplateId(await flows.template()))] })
  await flows.marketingRules({ quietHours: quietNow() })
  const walking = await walk(rig, db.pool, { clock })
  const contactId = await flows.contact('ada@example.com')
  await until(async () => expect(await waitingFor()).toEqual(['quiet_hours']))
  const messageId = (await messageIds())[0]?.message_id ?? ''
  return { flows, flowId, contactId, messageId, ...walking }
}
const isSent = (messageId: MessageId) => until(async () => expect((await rig.messageOf(messageId)).status).toBe('sent'))

test('quiet hours that are lifted release what waits for their end', async () => {
  const { flows, messageId, stop } = await waiting()
  await flows.marketingRules({ quietHours: null })
  await isSent(asMessageId(messageId))
  await stop()
})

test('a contact that is elsewhere now is written to when it is not quiet there', async () => {
  const { contactId, messageId, stop } = await waiting()
  const context = { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
  const moved = { type: 'ContactDetailsChanged', data: { contactId, timezone: 'Etc/GMT+12' } }
  await rig.log.append(contactStream(WORKSPACE, contactId), 'any', [moved], context)
  await isSent(asMessageId(messageId))
  await stop()
})

test('what waits of a flow that is paused meanwhile leaves when it is resumed, and not when quiet hours end', async () => {
  const { flows, flowId, messageId, stop } = await waiting()
  await flows.change('PauseFlow', asFlowId(flowId))
  await flows.marketingRules({ quietHours: null })
  await until(async () => expect(await waitingFor()).toEqual([`flow_paused ${flowId}`]))
  expect((await rig.messageOf(asMessageId(messageId))).status).toBe('queued')
  await flows.change('ResumeFlow', asFlowId(flowId))
  await isSent(asMessageId(messageId))
  await stop()
})

test('a campaign whose time came while its workspace was suspended is paused at the resume where that is late', async () => {
  const campaigns = campaignRig(rig, db.pool)
  await campaigns.prepare()
  const flows = flowRig(rig)
  const settings = {
    listId: asListId(crypto.randomUUID()),
    templateId: asTemplateId(await flows.template()),
    senderAddressId: await campaigns.senderAddressId(),
  }
  const campaignId = await campaigns.campaign(settings)
  const at = new Date(Date.now() + 60_000).toISOString()
  await campaigns.move(campaignId, 'schedule', new Date().toISOString(), at)
  await flows.workspaceIs('suspended')
  let ahead = 2 * 60_000
  const sending = await sendCampaigns(rig, db.pool, { now: () => Date.now() + ahead })
  await until(async () =>
    expect((await db.pool.query("select from ops.campaign_run where due_at > now() + interval '1 minute'")).rowCount).toBe(1),
  )
  expect(await campaigns.moves(campaignId)).toEqual(['CampaignScheduled'])
  ahead = 3 * HOUR
  await flows.workspaceIs('active')
  await until(async () => expect(await campaigns.moves(campaignId)).toEqual(['CampaignScheduled', 'CampaignPaused']))
  await sending.stop()
})
