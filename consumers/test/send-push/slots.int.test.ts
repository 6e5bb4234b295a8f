import { asContactId, asWorkspaceId, contact, contactStream, type WorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { type PushService, startPushService } from '@tidings/testing/push-service'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acceptPush, contextOf, provider, readBy, registerAt, service, setUpPush } from '../testing/push-rig.ts'
import { rig } from '../testing/sending.ts'

// This is longer than any test waits: a slot that is taken stays taken.
setUpPush({ callMs: 60_000 })

const workspace = (n: number): WorkspaceId => asWorkspaceId(`0192b1f0-0000-7000-8000-00000000000${n}`)
const [ONE, OTHER, THIRD, FOURTH, FIFTH] = [workspace(1), workspace(2), workspace(3), workspace(4), workspace(5)]
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
const pushOf = async (workspaceId: WorkspaceId, { subscribe }: PushService): Promise<string> => {
  const contactId = asContactId(crypto.randomUUID())
  const data = { contactId, email: { value: 'ada@example.com', claimId: crypto.randomUUID() }, details: {}, source: 'test' }
  const stream = contactStream(workspaceId, contactId)
  await rig.runner.execute({ decider: contact, stream, command: { type: 'CreateContact', data }, context: contextOf(workspaceId) })
  const endpoint = await registerAt(contactId, subscribe(), workspaceId)
  await acceptPush(contactId, {}, workspaceId)
  return endpoint
}
const consume = ({ concurrency }: Readonly<{ concurrency: number }>) =>
  rig.consume('outbox', { push: provider, retryDelaysMs: [50], concurrency })
const stalled = (): number => service.requests.length + second.requests.length

test('endpoints of one workspace that stall do not delay the pushes of another', async () => {
  for (const stalling of [service, second, service]) await pushOf(ONE, stalling)
  await consume({ concurrency: 4 })
  await until(() => expect(stalled()).toBe(1))
  const good = await pushOf(OTHER, third)
  await until(() => expect(readBy(good, third)).toHaveLength(1))
  expect(stalled()).toBe(1)
})

test('a push service that stalls for all does not delay the pushes to others', async () => {
  for (const workspaceId of [ONE, OTHER, ONE]) await pushOf(workspaceId, service)
  await consume({ concurrency: 4 })
  await until(() => expect(stalled()).toBe(1))
  const good = await pushOf(THIRD, third)
  await until(() => expect(readBy(good, third)).toHaveLength(1))
  expect(stalled()).toBe(1)
})

test('push services that stall for one workspace each do not delay the pushes to one that has answered', async () => {
  const workspaces = [ONE, OTHER, THIRD, FOURTH]
  await consume({ concurrency: 4 })
  const first = await pushOf(FIFTH, third)
  await until(() => expect(readBy(first, third)).toHaveLength(1))
  for (const [n, workspaceId] of workspaces.entries()) await pushOf(workspaceId, n % 2 === 0 ? service : second)
  const more = [await startPushService(), await startPushService()]
  try {
    for (const stalling of more) stalling.control.rule = () => 'stall'
    for (const [n, workspaceId] of workspaces.entries()) await pushOf(workspaceId, more[n % 2] ?? service)
    const all = (): number => stalled() + more.reduce((sum, { requests }) => sum + requests.length, 0)
    await until(() => expect(all()).toBe(3))
    const good = await pushOf(FIFTH, third)
    await until(() => expect(readBy(good, third)).toHaveLength(1))
    expect(all()).toBe(3)
  } finally {
    for (const stalling of more) await stalling.stop()
  }
})
