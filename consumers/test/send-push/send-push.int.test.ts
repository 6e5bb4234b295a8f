import { asMessageId, messageStream, pushSubscription, pushSubscriptionStream } from '@tidings/domain'
import type { PushProvider } from '@tidings/providers'
import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import {
  acceptPush as accept,
  contextOf,
  hashOf,
  provider,
  readBy,
  registerAt,
  service,
  setUpPush,
  statusOf,
  subscriptionAt,
} from '../testing/push-rig.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig } from '../testing/sending.ts'

setUpPush()
const revocationOf = async (endpoint: string) =>
  (await rig.log.readStream(WORKSPACE, pushSubscriptionStream(WORKSPACE, hashOf(endpoint)))).at(-1)?.data
const consume = () => rig.consume('outbox', { push: provider, retryDelaysMs: [50, 50] })

describe('a push', () => {
  test('goes to each browser of the contact once, with a link that counts its clicks, and is sent', async () => {
    const ada = await rig.newContact('ada@example.com')
    const browsers = [await registerAt(ada), await registerAt(ada)]
    const messageId = asMessageId(await accept(ada, { url: 'https://shop.example/7' }))
    await consume()
    expect((await statusOf(messageId, 'sent')).providerMessageId).toMatch(/^[12]$/)
    for (const endpoint of browsers) {
      const [read, ...more] = readBy(endpoint)
      expect(read).toEqual({ title: 'Hi', body: 'Ada', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/c\?t=/), tag: messageId })
      expect(more).toEqual([])
    }
    expect(await rig.eventsOf(messageId)).toEqual(['PushAccepted', 'MessageSent'])
  })

  test('is tried again where a browser could not take it, and only there', async () => {
    const ada = await rig.newContact('ada@example.com')
    const [good, busy] = [await registerAt(ada), await registerAt(ada)]
    let times = 0
    service.control.rule = (endpoint) => (endpoint === busy && times++ < 2 ? { status: times === 1 ? 503 : 429 } : undefined)
    const messageId = asMessageId(await accept(ada))
    await consume()
    await until(() => expect(readBy(busy)).toHaveLength(1))
    await until(async () => expect((await rig.messageOf(messageId)).waiting).toEqual([]))
    expect([readBy(good).length, times]).toEqual([1, 3])
    expect(await rig.eventsOf(messageId)).toEqual(['PushAccepted', 'PushAttempted', 'MessageSent', 'PushAttempted'])
  })

  test('is tried again where a push service does not take our keys', async () => {
    const ada = await rig.newContact('ada@example.com')
    await registerAt(ada)
    let times = 0
    service.control.rule = () => (times++ < 2 ? { status: times === 1 ? 403 : 401 } : undefined)
    const messageId = asMessageId(await accept(ada))
    await consume()
    await statusOf(messageId, 'sent', 'failed')
    expect(await rig.eventsOf(messageId)).toEqual(['PushAccepted', 'MessageSent'])
  })

  test('has failed when the last try is over', async () => {
    const ada = await rig.newContact('ada@example.com')
    const endpoint = await registerAt(ada)
    service.control.rule = () => ({ status: 503 })
    const messageId = asMessageId(await accept(ada))
    await consume()
    expect(await statusOf(messageId, 'failed')).toMatchObject({ failureReason: 'provider_unavailable' })
    expect(service.requests).toEqual([endpoint, endpoint, endpoint])
  })

  test('revokes a browser that is gone, and the consent goes with the last', async () => {
    const ada = await rig.newContact('ada@example.com')
    const [first, second] = [await registerAt(ada), await registerAt(ada)]
    service.control.rule = (endpoint) => (endpoint === first ? { status: 410 } : undefined)
    await consume()
    await statusOf(asMessageId(await accept(ada)), 'sent')
    await until(async () => expect((await rig.contactOf(ada)).browsers).toMatchObject([{ endpointHash: hashOf(second) }]))
    expect((await subscriptionAt(first)).isLive).toBe(false)
    expect((await rig.contactOf(ada)).consents.push).toBe('subscribed')
    service.control.rule = () => ({ status: 404 })
    expect(await statusOf(asMessageId(await accept(ada)), 'failed')).toMatchObject({ failureReason: 'push_endpoint_gone' })
    await until(async () => expect(await rig.contactOf(ada)).toMatchObject({ consents: { push: 'cleaned' }, browsers: [] }))
    expect(await statusOf(asMessageId(await accept(ada)), 'skipped')).toMatchObject({ failureReason: 'no_consent' })
  })

  test('revokes a browser that subscribed under another key, at its first answer', async () => {
    const ada = await rig.newContact('ada@example.com')
    const [first, second] = [await registerAt(ada), await registerAt(ada)]
    service.control.rule = (endpoint) =>
      endpoint === first ? { status: 401, body: '{"errno":109,"message":"VAPID public key mismatch"}' } : undefined
    await consume()
    await statusOf(asMessageId(await accept(ada)), 'sent')
    await until(async () => expect((await rig.contactOf(ada)).browsers).toMatchObject([{ endpointHash: hashOf(second) }]))
    expect(await revocationOf(first)).toMatchObject({ reason: 'push_key_replaced' })
    expect((await rig.contactOf(ada)).consents.push).toBe('subscribed')
    expect(service.requests.filter((endpoint) => endpoint === first)).toHaveLength(1)
  })

  test('waits as long as its push service asks', async () => {
    const ada = await rig.newContact('ada@example.com')
    const endpoint = await registerAt(ada)
    service.control.rule = () => ({ status: 429, headers: { 'retry-after': '600' } })
    const messageId = asMessageId(await accept(ada))
    await consume()
    await until(async () => {
      const { rows } = await db.pool.query("select 1 from inbox.job where due_at > clock_timestamp() + interval '9 minutes'")
      expect(rows).toHaveLength(1)
    })
    expect([(await rig.messageOf(messageId)).status, service.requests]).toEqual(['queued', [endpoint]])
  })

  test('fails as it would have, where the process dies before that is in the log', async () => {
    const ada = await rig.newContact('ada@example.com')
    const endpoint = await registerAt(ada)
    service.control.rule = () => ({ status: 410 })
    const messageId = asMessageId(await accept(ada))
    let crashes = 0
    const append: typeof rig.log.append = async (stream, ...rest) => {
      if (stream.startsWith('message-') && crashes++ === 0) throw new Error('the process died')
      return await rig.log.append(stream, ...rest)
    }
    await rig.consume('outbox', { push: provider, retryDelaysMs: [50, 50], log: { ...rig.log, append } })
    expect(await statusOf(messageId, 'failed', 'skipped')).toMatchObject({ status: 'failed', failureReason: 'push_endpoint_gone' })
    expect(crashes).toBeGreaterThan(1)
    await until(async () => expect((await rig.contactOf(ada)).consents.push).toBe('cleaned'))
    expect((await subscriptionAt(endpoint)).isLive).toBe(false)
  })

  test('finds out which browsers a cut off registration or revocation left behind', async () => {
    const [ada, grace] = [await rig.newContact('ada@example.com'), await rig.newContact('grace@example.com')]
    const mine = await registerAt(ada)
    const moved = service.subscribe()
    await registerAt(ada, moved)
    await registerAt(grace, moved)
    const gone = await registerAt(ada)
    const stream = pushSubscriptionStream(WORKSPACE, hashOf(gone))
    const command = { type: 'RevokePushSubscription', data: { registration: 1, reason: 'push_endpoint_gone' } } as const
    await rig.runner.execute({ decider: pushSubscription, stream, command, context: contextOf() })
    await consume()
    await statusOf(asMessageId(await accept(ada)), 'sent')
    expect(service.requests).toEqual([mine])
    expect((await rig.contactOf(ada)).browsers.map(({ endpointHash }) => endpointHash)).toEqual([hashOf(mine)])
    expect((await rig.contactOf(grace)).browsers.map(({ endpointHash }) => endpointHash)).toEqual([hashOf(moved.endpoint)])
  })

  test('that is too large says by how much, and makes no call', async () => {
    const ada = await rig.newContact('ada@example.com')
    await registerAt(ada)
    const messageId = asMessageId(await accept(ada, { body: 'ש'.repeat(2_000) }))
    await consume()
    expect(await statusOf(messageId, 'failed')).toMatchObject({ failureReason: 'template_render_failed' })
    const failed = (await rig.log.readStream(WORKSPACE, messageStream(WORKSPACE, messageId))).at(-1)
    expect(failed?.data).toMatchObject({ detail: expect.stringMatching(/ 40\d\d bytes together, and browsers take 3993\.$/) })
    expect(service.requests).toEqual([])
  })

  test('that a process took with it when it died goes out again under the same topic and tag', async () => {
    const ada = await rig.newContact('ada@example.com')
    const endpoint = await registerAt(ada)
    const messageId = asMessageId(await accept(ada))
    let calls = 0
    // The push service has it, and its answer never reaches the log.
    const dying: PushProvider = {
      ...provider,
      send: async (...args) => {
        await provider.send(...args)
        if (calls++ === 0) throw new Error('the process died')
        return { providerMessageId: 'second' }
      },
    }
    await rig.consume('outbox', { push: dying, retryDelaysMs: [50] })
    await statusOf(messageId, 'sent')
    const [first, second] = service.taken.filter((taken) => taken.endpoint === endpoint)
    expect([second?.headers.topic, second?.text]).toEqual([first?.headers.topic, first?.text])
    expect(service.taken).toHaveLength(2)
  })
})
