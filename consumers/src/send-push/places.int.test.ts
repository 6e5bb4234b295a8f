import { contact, contactStream } from '@tidings/domain'
import { until } from '@tidings/testing'
import { type PushService, startPushService } from '@tidings/testing/push-service'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acceptPush, contextOf, provider, readBy, registerAt, service, setUpPush } from '../testing/push-rig.ts'
import { rig } from '../testing/sending.ts'

// Longer than any test waits: a place that is taken stays taken.
setUpPush({ callMs: 60_000 })

const [ONE, OTHER, THIRD] = [1, 2, 3].map((n) => `0192b1f0-0000-7000-8000-00000000000${n}`) as [string, string, string]
let second: PushService
let third: PushService
beforeEach(async () => {
  second = await startPushService()
  third = await startPushService()
  for (const stalling of [service, second]) stalling.control.rule = () => 'stall'
})
afterEach(async () => {
  await second.stop()
  await third.stop()
})

/** Queues a push to a new contact with one browser. Answers its endpoint. */
const pushOf = async (workspaceId: string, { subscribe }: PushService): Promise<string> => {
  const contactId = crypto.randomUUID()
  const data = { contactId, email: { value: 'ada@example.com', claimId: crypto.randomUUID() }, details: {}, source: 'test' }
  const stream = contactStream(workspaceId, contactId)
  await rig.runner.execute({ decider: contact, stream, command: { type: 'CreateContact', data }, context: contextOf(workspaceId) })
  const endpoint = await registerAt(contactId, subscribe(), workspaceId)
  await acceptPush(contactId, {}, workspaceId)
  return endpoint
}
const consume = () => rig.consume('outbox', { push: provider, retryDelaysMs: [50], concurrency: 2 })
const stalled = (): number => service.requests.length + second.requests.length

test('endpoints of one workspace that stall do not hold up the pushes of another', async () => {
  for (const stalling of [service, second]) await pushOf(ONE, stalling)
  await consume()
  await until(() => expect(stalled()).toBe(1))
  const good = await pushOf(OTHER, third)
  await until(() => expect(readBy(good, third)).toHaveLength(1))
  expect(stalled()).toBe(1)
})

test('a push service that stalls for all does not hold up the pushes to others', async () => {
  for (const workspaceId of [ONE, OTHER]) await pushOf(workspaceId, service)
  await consume()
  await until(() => expect(stalled()).toBe(1))
  const good = await pushOf(THIRD, third)
  await until(() => expect(readBy(good, third)).toHaveLength(1))
  expect(stalled()).toBe(1)
})
