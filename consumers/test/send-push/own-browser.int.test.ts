import {
  asMessageId,
  type ContactId,
  contact,
  contactStream,
  pushSubscription,
  pushSubscriptionStream,
  workspaceStream,
} from '@tidings/domain'
import { until } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acceptPush as accept, contextOf, hashOf, provider, readBy, registerAt, service, setUpPush, statusOf } from '../testing/push-rig.ts'
import { type Consuming, WORKSPACE } from '../testing/rig.ts'
import { db, rig } from '../testing/sending.ts'

// One call at a time to a push service, which answers the first when the test lets it: the others wait behind it.
setUpPush({ callMs: 300_000, connections: 1 })
let gate: PromiseWithResolvers<void>
let running: Consuming
beforeEach(() => {
  gate = Promise.withResolvers()
  service.control.rule = async () => {
    await gate.promise
    return undefined
  }
})
afterEach(() => gate.resolve())
const consume = async () => {
  running = await rig.consume('outbox', { push: provider, retryDelaysMs: [50, 50] })
}
/** Its browser is the first at work, and the others of the message wait. */
const firstIsCalled = () => until(() => expect(service.requests).toHaveLength(1))
const heardAndReleased = async (): Promise<void> => {
  await running.heard()
  expect(service.requests).toHaveLength(1)
  gate.resolve()
}
const ofContact = (contactId: ContactId, command: Parameters<typeof contact.decide>[0]) =>
  rig.runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context: contextOf() })
/** The events of a registration for another contact, a revocation and a registration: `register-browser.ts`, `forget-browser.ts`. */
const move = async (endpoint: string, from: ContactId, to: ContactId): Promise<void> => {
  const [known] = (await rig.contactOf(from)).browsers.filter(({ endpointHash }) => endpointHash === hashOf(endpoint))
  await registerAt(to, { endpoint, keys: keysOf(endpoint) })
  await ofContact(from, {
    type: 'RemoveBrowser',
    data: { contactId: from, endpointHash: hashOf(endpoint), registration: known?.registration ?? 0, because: 'moved' },
  })
}
const remove = async (endpoint: string, contactId: ContactId): Promise<void> => {
  const command = { type: 'RevokePushSubscription', data: { registration: 1, reason: 'push_endpoint_gone' } } as const
  const stream = pushSubscriptionStream(WORKSPACE, hashOf(endpoint))
  await rig.runner.execute({ decider: pushSubscription, stream, command, context: contextOf() })
  await ofContact(contactId, {
    type: 'RemoveBrowser',
    data: { contactId, endpointHash: hashOf(endpoint), registration: 1, because: 'gone' },
  })
}
const keysOf = (endpoint: string) => {
  const { keys, auth } = service.browser(endpoint)
  return { p256dh: keys.getPublicKey().toString('base64url'), auth: auth.toString('base64url') }
}

describe('a push whose browsers wait for a place', () => {
  test('goes to none that was removed, or moved to another contact, meanwhile', async () => {
    const [ada, grace] = [await rig.newContact('ada@example.com'), await rig.newContact('grace@example.com')]
    const browsers = [await registerAt(ada), await registerAt(ada), await registerAt(ada), await registerAt(ada)] as const
    const messageId = asMessageId(await accept(ada))
    await consume()
    await firstIsCalled()
    const [called] = service.requests
    const [moved = '', removed = '', stays = ''] = browsers.filter((endpoint) => endpoint !== called)
    await move(moved, ada, grace)
    await remove(removed, ada)
    await heardAndReleased()
    await statusOf(messageId, 'sent')
    expect(service.requests.toSorted()).toEqual([called, stays].toSorted())
    expect([readBy(moved), readBy(removed)]).toEqual([[], []])
    // It is the other contact's, and takes what is for them.
    await statusOf(asMessageId(await accept(grace)), 'sent')
    expect(readBy(moved)).toHaveLength(1)
    expect((await rig.contactOf(ada)).browsers.map(({ endpointHash }) => endpointHash)).toHaveLength(2)
  })

  test('goes to one that registered again, once, with the keys that it has by then', async () => {
    const ada = await rig.newContact('ada@example.com')
    const browsers = [await registerAt(ada), await registerAt(ada)]
    const messageId = asMessageId(await accept(ada))
    await consume()
    await firstIsCalled()
    const again = browsers.find((endpoint) => endpoint !== service.requests[0]) ?? ''
    await registerAt(ada, { endpoint: again, keys: keysOf(again) })
    await heardAndReleased()
    await until(() => expect(service.requests.toSorted()).toEqual(browsers.toSorted()))
    await until(async () => expect((await rig.messageOf(messageId)).waiting).toEqual([]))
    expect(service.requests).toHaveLength(browsers.length)
  })

  test('goes to the browsers that its contact has by then, where none is left of those that it had', async () => {
    const [ada, grace] = [await rig.newContact('ada@example.com'), await rig.newContact('grace@example.com')]
    await registerAt(grace)
    const old = await registerAt(ada)
    await consume()
    await accept(grace)
    await firstIsCalled()
    const messageId = asMessageId(await accept(ada))
    await until(async () => expect((await db.pool.query('select from inbox.job where token is not null')).rowCount).toBe(2))
    // In this order the contact always has one browser, even if its message has not reached them yet.
    const now = await registerAt(ada)
    await move(old, ada, grace)
    await heardAndReleased()
    await statusOf(messageId, 'sent')
    expect([readBy(old), readBy(now).length]).toEqual([[], 1])
  })

  test('goes to no more of them once the workspace is suspended, and to each once after the resume', async () => {
    const ada = await rig.newContact('ada@example.com')
    const browsers = [await registerAt(ada), await registerAt(ada), await registerAt(ada), await registerAt(ada)]
    const messageId = asMessageId(await accept(ada))
    await consume()
    await firstIsCalled()
    await statusChanged('suspended')
    await heardAndReleased()
    await until(async () => expect((await rig.messageOf(messageId)).waiting).toHaveLength(3))
    // Its workspace is held: no worker claims the message.
    await until(async () => expect((await db.pool.query('select from inbox.suspended_workspace')).rowCount).toBe(1))
    expect(service.requests).toHaveLength(1)
    await statusChanged('active')
    await until(async () => expect((await rig.messageOf(messageId)).waiting).toEqual([]))
    expect(service.requests.toSorted()).toEqual(browsers.toSorted())
  })
})

const statusChanged = (status: 'suspended' | 'active') =>
  rig.log.append(workspaceStream(WORKSPACE), 'any', [{ type: 'WorkspaceStatusChanged', data: { status, reason: null } }], contextOf())
