import { randomUUID } from 'node:crypto'
import { decrypt, encodings } from '@apeleghq/rfc8188'
import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { type Caller, createCaller, createGuard } from '@tidings/outbound-http'
import { keyingMaterial, type PushService, startPushService } from '@tidings/testing/push-service'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SendOptions } from '../../src/port.ts'
import { topicOf } from '../../src/push/payload.ts'
import { type PushMessage, SubscribedUnderOtherKey } from '../../src/push/port.ts'
import { webPush } from '../../src/web-push/web-push.ts'
import { createWebPushProvider } from '../../src/web-push/web-push-provider.ts'
import { RFC_8291_SENDER } from './vapid.fixture.ts'

let service: PushService
let callers: Caller[] = []

beforeEach(async () => {
  service = await startPushService()
})
afterEach(async () => {
  for (const caller of callers) await caller.close()
  callers = []
  await service.stop()
})

const refusals: unknown[] = []
const providerThat = (rules: Readonly<{ allowLocal: boolean; addresses?: readonly string[]; callMs?: number }>) => {
  const { callMs = 30_000 } = rules
  const guard = createGuard({ resolve: async () => rules.addresses ?? [], allowLocal: rules.allowLocal })
  const caller = createCaller({ guard, timeoutMs: callMs, connections: 4 })
  callers.push(caller)
  return createWebPushProvider({
    ...webPush.limits,
    vapid: RFC_8291_SENDER,
    caller,
    callMs,
    connections: 4,
    onKeysRefused: (refused) => refusals.push(refused),
  })
}
const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }
const messageTo = (to: Pick<PushMessage, 'endpoint' | 'keys'>, urgency: PushMessage['urgency'] = 'normal'): PushMessage => ({
  ...to,
  workspaceId: asWorkspaceId(randomUUID()),
  messageId: asMessageId(randomUUID()),
  urgency,
  notification: { title: 'Hi', body: 'Ada', url: null, icon: null },
})

describe('a web push', () => {
  it('is read by a second library too', async () => {
    const to = service.subscribe()
    await providerThat({ allowLocal: true }).send(messageTo(to), options)
    const [taken] = service.taken
    if (taken === undefined) return expect.unreachable('nothing was taken')
    const material = new Uint8Array(keyingMaterial(service.browser(to.endpoint), taken.body)).buffer
    const chunks: Buffer[] = []
    for await (const chunk of decrypt(encodings.aes128gcm, ReadableStream.from([new Uint8Array(taken.body)]), () => material))
      chunks.push(Buffer.from(chunk))
    expect(Buffer.concat(chunks).toString()).toBe(taken.text)
  })

  it('says who sends it, how long it may wait, how urgent it is, and which message it is', async () => {
    const provider = providerThat({ allowLocal: true })
    const message = messageTo(service.subscribe(), 'high')
    expect(await provider.send(message, options)).toEqual({ providerMessageId: '1' })
    await provider.send(message, options)
    const [first, again] = service.taken
    expect(first?.headers).toMatchObject({ ttl: '86400', urgency: 'high', topic: topicOf(message), 'content-encoding': 'aes128gcm' })
    expect(first?.vapid).toMatchObject({ sub: RFC_8291_SENDER.subject, key: RFC_8291_SENDER.publicKey })
    expect(topicOf(message)).toMatch(/^[\w-]{22}$/)
    expect([again?.headers.topic, again?.text]).toEqual([first?.headers.topic, first?.text])
  })

  it('is fenced when a connection is free for it: what a gate closes behind a slow push service never leaves', async () => {
    const slow = service.subscribe()
    service.control.rule = () => 'stall'
    const provider = providerThat({ allowLocal: true, callMs: 6_000 })
    const closed = new Error('the campaign was cancelled')
    let isClosed = false
    let passed = 0
    const fence = () => {
      if (isClosed) return Promise.reject(closed)
      passed++
      return undefined
    }
    const workspaceId = asWorkspaceId(randomUUID())
    const sent = Array.from({ length: 30 }, () =>
      provider.send({ ...messageTo(slow), workspaceId }, { ...options, priority: 'marketing', fence }).catch((error: unknown) => error),
    )
    await expect.poll(() => service.requests.length).toBeGreaterThan(0)
    isClosed = true
    const inHands = passed
    expect((await Promise.all(sent)).filter((error) => error === closed)).toHaveLength(30 - inHands)
    expect(inHands).toBeLessThanOrEqual(2)
    expect(service.requests).toHaveLength(inHands)
  })

  it('never goes where webhooks may not go', async () => {
    const { keys, endpoint } = service.subscribe()
    const provider = providerThat({ allowLocal: false, addresses: ['127.0.0.1'] })
    const refused = { failure: 'refused', message: 'the endpoint is not one that may be called' }
    await expect(provider.send(messageTo({ keys, endpoint }), options)).rejects.toMatchObject(refused)
    for (const hostile of ['https://push.example/x', 'https://127.0.0.1/x', 'http://push.example/x', 'https://push.example:8443/x'])
      await expect(provider.send(messageTo({ keys, endpoint: hostile }), options)).rejects.toMatchObject({ failure: 'refused' })
    expect(service.requests).toEqual([])
  })

  it('to a name that leads nowhere now is tried again', async () => {
    const { keys } = service.subscribe()
    const provider = providerThat({ allowLocal: false })
    await expect(provider.send(messageTo({ keys, endpoint: 'https://push.example/x' }), options)).rejects.toMatchObject({
      failure: 'temporary',
    })
  })

  it('that is refused because of our keys names the push service, and nothing else of the endpoint', async () => {
    const to = service.subscribe()
    const provider = providerThat({ allowLocal: true })
    for (const status of [403, 401, 400]) {
      service.control.rule = () => ({ status })
      await expect(provider.send(messageTo(to), options)).rejects.toMatchObject({ failure: status === 400 ? 'refused' : 'temporary' })
    }
    const { origin } = new URL(to.endpoint)
    expect(refusals).toEqual([
      { service: origin, status: 403 },
      { service: origin, status: 401 },
    ])
  })

  it('to a browser that subscribed under another key is refused for good, in the words of each push service', async () => {
    const to = service.subscribe()
    const provider = providerThat({ allowLocal: true })
    for (const [status, body] of [
      [403, 'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n'],
      [401, '{"code":401,"errno":109,"error":"Unauthorized","message":"VAPID public key mismatch"}'],
      [403, '{"reason":"VapidPkHashMismatch"}'],
    ] as const) {
      service.control.rule = () => ({ status, body })
      await expect(provider.send(messageTo(to), options)).rejects.toBeInstanceOf(SubscribedUnderOtherKey)
    }
    for (const body of ['{"reason":"BadJwtToken"}', '{"errno":109,"message":"Request did not validate Invalid Authorization Header"}']) {
      service.control.rule = () => ({ status: 403, body })
      await expect(provider.send(messageTo(to), options)).rejects.toMatchObject({ failure: 'temporary' })
    }
  })

  it('that is to come later says when, an hour at most', async () => {
    const to = service.subscribe()
    const provider = providerThat({ allowLocal: true })
    for (const [asked, retryAfterMs] of [
      ['120', 120_000],
      ['86400', 3_600_000],
      ['9'.repeat(400), 3_600_000],
      [new Date(0).toUTCString(), 0],
      ['soon', 0],
    ] as const) {
      service.control.rule = () => ({ status: asked === '120' ? 503 : 429, headers: { 'retry-after': asked } })
      await expect(provider.send(messageTo(to), options)).rejects.toMatchObject({ failure: 'temporary', retryAfterMs })
    }
  })

  it('is not set up with a subject that push services refuse', () => {
    const caller = createCaller({ guard: createGuard({ resolve: async () => [], allowLocal: true }), timeoutMs: 1_000, connections: 1 })
    callers.push(caller)
    expect(() =>
      createWebPushProvider({ ...webPush.limits, vapid: { ...RFC_8291_SENDER, subject: 'acme' }, caller, callMs: 1_000 }),
    ).toThrow('subject')
  })
})
