import { asFlowId, message, messageStream } from '@tidings/domain'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { flowRig, sends, testClock, walkOnly } from '../testing/flow-rig.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'
import { withoutLateAnswers } from '../testing/without-late-answers.ts'

let db: TestDatabase
let rig: Rig
let running: ReturnType<typeof walkOnly>

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  // Nothing is sent: the worker that called the provider died before the answer.
  running = walkOnly(rig, db.pool, { clock: testClock(db.pool) })
})
afterEach(async () => {
  await running.stop()
  expect(withoutLateAnswers(running.faults)).toEqual([])
  await rig.close()
  await db.drop()
})

test.each(['RecordDelivered', 'RecordComplained'] as const)('a run goes on by %s of a message whose answer was lost', async (type) => {
  const given = flowRig(rig)
  const flowId = asFlowId(
    await given.configure({
      trigger: { type: 'custom_event', event: 'order_placed' },
      steps: [sends(await given.template())],
    }),
  )
  const contactId = await given.contact('ada@example.com')
  await given.report(contactId, 'order_placed')
  const types = async () => (await given.runs(flowId, contactId)).map((event) => event.type)
  const goes = (...wanted: string[]) => until(async () => expect(await types()).toEqual(wanted))
  await goes('ContactEnteredFlow', 'FlowMessageQueued')
  const [, queued] = await given.runs(flowId, contactId)
  if (queued?.type !== 'FlowMessageQueued') throw new Error('no message is queued')
  const stream = messageStream(WORKSPACE, queued.data.messageId)
  const context = {
    commandId: crypto.randomUUID(),
    workspaceId: WORKSPACE,
    actor: 'provider',
    requestId: 'r',
    at: new Date().toISOString(),
  }
  await rig.runner.execute({ decider: message, stream, command: { type, data: {} }, context })
  await goes('ContactEnteredFlow', 'FlowMessageQueued', 'FlowMessageResolved', 'ContactLeftFlow')
  expect(await db.pool.query('select from ops.flow_message')).toMatchObject({ rowCount: 0 })
})
