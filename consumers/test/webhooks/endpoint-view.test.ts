import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { asEndpointId, asWorkspaceId, eventDeclarations, type WebhooksEvent, webhooksStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createFollower, type Follower, type LogView } from '@tidings/log-views'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEndpointView, type EndpointView, wants } from '../../src/webhooks/endpoint-view.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const endpointId = asEndpointId('0192b1f0-0000-7000-8000-00000000000c')

let log: EventLog
let follower: Follower | undefined
let endpoints: EndpointView
beforeEach(() => {
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  follower = undefined
  endpoints = createEndpointView(log)
})
afterEach(async () => {
  await follower?.close()
  await log.close()
})

const follow = (view: LogView): Follower => {
  follower = createFollower({ log, views: [view], now: () => 0 })
  return follower
}

const append = async (event: WebhooksEvent) => {
  const context = { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'request', at: '2026-01-01T00:00:00.000Z' }
  return (await log.append(webhooksStream(workspaceId), 'any', [event], context)).position
}
const created: WebhooksEvent = {
  type: 'WebhookEndpointCreated',
  data: { endpointId, url: 'https://shop.example/', label: null, events: ['contact.created'], signingSecret: 'ab'.repeat(32) },
}
const moved = (type: 'WebhookEndpointPaused' | 'WebhookEndpointResumed' | 'WebhookEndpointDeleted'): WebhooksEvent => ({
  type,
  data: { endpointId },
})
const after = (position: bigint) => ({ commit: position, prepare: 0n })

it.each(['followed', 'not followed'])('an endpoint misses nothing that happened after it was made, %s', async (when) => {
  if (when === 'followed') follow(endpoints)
  expect((await endpoints.of(workspaceId, after(0n))).size).toBe(0)
  const { commit } = await append(created)
  const endpoint = (await endpoints.of(workspaceId, after(commit))).get(endpointId)
  expect(endpoint && wants(endpoint, 'contact.created', after(commit + 1n))).toBe(true)
  expect(endpoint && wants(endpoint, 'contact.created', after(commit - 1n))).toBe(false)
  expect(endpoint && wants(endpoint, 'contact.updated', after(commit + 1n))).toBe(false)
})

it('what happened while it was paused is not delivered after it is resumed', async () => {
  follow(endpoints)
  await append(created)
  const paused = await append(moved('WebhookEndpointPaused'))
  expect([...(await endpoints.of(workspaceId, paused)).values()].map(({ active }) => active)).toEqual([false])
  const resumed = await append(moved('WebhookEndpointResumed'))
  const endpoint = (await endpoints.of(workspaceId, resumed)).get(endpointId)
  expect(endpoint && wants(endpoint, 'contact.created', paused)).toBe(false)
  expect(endpoint && wants(endpoint, 'contact.created', after(resumed.commit + 1n))).toBe(true)
})

it('one that is deleted is gone', async () => {
  follow(endpoints)
  await append(created)
  const deleted = await append(moved('WebhookEndpointDeleted'))
  expect((await endpoints.of(workspaceId, deleted)).size).toBe(0)
})

it('an older read that finishes last does not take the endpoints back to before a pause', async () => {
  await append(created)
  const slow = Promise.withResolvers<void>()
  let reads = 0
  const readStream: EventLog['readStream'] = async (...asked) => {
    const isFirst = reads++ === 0
    const events = await log.readStream<never>(...asked)
    if (isFirst) await slow.promise
    return events
  }
  const gated = createEndpointView({ readStream })
  const following = follow(gated)
  await expect.poll(() => following.isCaughtUp()).toBe(true)
  const first = gated.of(workspaceId)
  await expect.poll(() => reads).toBe(1)
  const paused = await append(moved('WebhookEndpointPaused'))
  await expect.poll(() => following.position()).toEqual(paused)
  const second = gated.of(workspaceId)
  for (let n = 0; n < 20; n++) await new Promise(setImmediate)
  slow.resolve()
  await Promise.all([first, second])
  expect((await gated.of(workspaceId)).get(endpointId)).toMatchObject({ active: false })
})
