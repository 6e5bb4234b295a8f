import { asFlowId, asMessageId, type ContactId, type FlowId } from '@tidings/domain'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { flowRig, sends, testClock, texts, walk } from '../testing/flow-rig.ts'
import { openRig, type Rig } from '../testing/rig.ts'
import { createSmsRig, NUMBER, SENDER, type SmsRig } from '../testing/sms-rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

let db: TestDatabase
let rig: Rig
let sms: SmsRig
let given: ReturnType<typeof flowRig>
let running: Awaited<ReturnType<typeof walk>>

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  sms = createSmsRig(rig)
  given = flowRig(rig)
  running = await walk(rig, db.pool, { clock: testClock(db.pool) })
  await rig.configureSender(true)
  await sms.decideSender({ type: 'ConfigureSenderId', data: { senderId: SENDER, status: 'approved' } })
})
afterEach(async () => {
  await running.stop()
  expect(withoutLateAnswers(running.faults)).toEqual([])
  await rig.close()
  await db.drop()
})

const ordered = { type: 'custom_event', event: 'order_placed' } as const
const flowOf = async (...bodies: readonly string[]) => {
  const steps = []
  for (const body of bodies) steps.push(texts(await given.smsTemplate(body)))
  return await given.configure({ trigger: ordered, steps })
}
const subscriber = async (phone = NUMBER) => {
  const contactId = await sms.newContact(phone)
  await given.consent(contactId, 'subscribed', 'sms')
  return contactId
}
const ending = async (flowId: FlowId, contactId: ContactId) => {
  const runs = () => given.runs(flowId, contactId)
  await until(async () => expect((await runs()).at(-1)?.type).toBe('ContactLeftFlow'))
  const events = await runs()
  return {
    resolved: events.flatMap((event) => (event.type === 'FlowMessageResolved' ? [[event.data.outcome, event.data.reason]] : [])),
    skipped: events.flatMap((event) => (event.type === 'FlowStepSkipped' ? [event.data.reason] : [])),
    reason: events.flatMap((event) => (event.type === 'ContactLeftFlow' ? [event.data.reason] : []))[0],
    messageIds: events.flatMap((event) => (event.type === 'FlowMessageQueued' ? [event.data.messageId] : [])),
  }
}
type Text = Readonly<{ recipient: string; sender: string; body: string }>
const sent = async () =>
  (await db.pool.query<Text>('select recipient, sender, body from outbox.message where channel = $1 order by seq', ['sms'])).rows

test('a step of a flow texts a subscriber in marketing, with the properties of the event, and is paid', async () => {
  await sms.addCredits(10)
  const flowId = asFlowId(await flowOf(`Order {{orderId}} for {{phone}}{{unsubscribeUrl}} ${'.'.repeat(268)}`))
  const contactId = await subscriber()
  await given.report(contactId, 'order_placed', { orderId: 'A-7', phone: 'shadow', unsubscribeUrl: 'https://evil.example' })
  const { resolved, reason, messageIds } = await ending(flowId, contactId)
  expect({ resolved, reason }).toEqual({ resolved: [['sent', null]], reason: 'finished' })
  expect(await sent()).toEqual([{ recipient: NUMBER, sender: SENDER, body: `Order A-7 for ${NUMBER} ${'.'.repeat(268)}` }])
  const [accepted] = await given.messages(messageIds[0] ?? asMessageId(''))
  expect(accepted?.data).toMatchObject({ kind: 'marketing', credits: 2, segments: 2 })
  await until(async () => expect(await sms.credits()).toEqual({ balance: 8, held: 0 }))
})

test('without credits a text is skipped, counts for no cap, and the run goes on', async () => {
  await given.marketingRules({ frequencyCap: { messages: 1, days: 7 } })
  const flowId = asFlowId(await flowOf('one', 'two'))
  const contactId = await subscriber()
  await given.report(contactId, 'order_placed')
  const without = ['skipped', 'insufficient_credits']
  expect(await ending(flowId, contactId)).toMatchObject({ resolved: [without, without], reason: 'finished' })
  expect(await sent()).toEqual([])
})

test('consent to mails is none to texts', async () => {
  await sms.addCredits(10)
  const flowId = asFlowId(await flowOf('one', 'two'))
  const contactId = await sms.newContact(NUMBER)
  await given.consent(contactId, 'subscribed', 'email')
  await given.report(contactId, 'order_placed')
  expect(await ending(flowId, contactId)).toMatchObject({ resolved: [['skipped', 'no_consent']], reason: 'no_consent' })
})

test('a contact without a number gets no text, and its run goes on to the mail', async () => {
  const steps = [texts(await given.smsTemplate('one')), sends(await given.template())]
  const flowId = await given.configure({ trigger: ordered, steps })
  const contactId = await given.contact('ada@example.com')
  await given.report(contactId, 'order_placed')
  expect(await ending(flowId, contactId)).toMatchObject({ skipped: ['no_address'], resolved: [['sent', null]], reason: 'finished' })
})

test('a text under a sender ID that was deactivated meanwhile fails, and one that is too long is skipped', async () => {
  await sms.addCredits(10)
  await sms.decideSender({ type: 'DeactivateSenderId', data: { senderId: SENDER } })
  const flowId = asFlowId(await flowOf('one', 'x'.repeat(1_601)))
  const contactId = await subscriber()
  await given.report(contactId, 'order_placed')
  expect(await ending(flowId, contactId)).toMatchObject({
    resolved: [['failed', 'sender_id_not_approved']],
    skipped: ['template_render_failed'],
    reason: 'finished',
  })
})

test('the frequency cap of texts is their own', async () => {
  await sms.addCredits(10)
  await given.marketingRules({ frequencyCap: { messages: 1, days: 7 } })
  const flowId = asFlowId(await flowOf('one', 'two'))
  const contactId = await subscriber()
  await given.report(contactId, 'order_placed')
  expect(await ending(flowId, contactId)).toMatchObject({
    resolved: [
      ['sent', null],
      ['skipped', 'frequency_cap'],
    ],
    reason: 'finished',
  })
})
