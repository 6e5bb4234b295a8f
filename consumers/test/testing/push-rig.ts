import { createHash } from 'node:crypto'
import {
  asMessageId,
  type ContactId,
  contact,
  contactStream,
  type MessageId,
  message,
  messageStream,
  type PushSubscriptionState,
  pushSubscription,
  pushSubscriptionStream,
  type WorkspaceId,
} from '@tidings/domain'
import { createCaller, createGuard } from '@tidings/outbound-http'
import { createPushProvider, type PushProvider } from '@tidings/providers'
import { until } from '@tidings/testing'
import { type PushService, startPushService } from '@tidings/testing/push-service'
import { afterEach, beforeEach, expect } from 'vitest'
import { WORKSPACE } from './rig.ts'
import { db, rig, setUpSending } from './sending.ts'

/** The keys of RFC 8291, Appendix A. */
const vapid = {
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  subject: 'mailto:push@acme.example',
}

/** The push service of the running test; the hooks of `setUpPush` set it. */
export let service: PushService
export let provider: PushProvider

/** `callMs`: how long one call may take; `connections`: to one push service. */
type PushRigOptions = Readonly<{ callMs?: number; connections?: number }>

/** Like `setUpSending`, with a push service. */
export function setUpPush(options: PushRigOptions = {}): void {
  let stop: () => Promise<void>
  setUpSending()
  beforeEach(async () => {
    stop = await startPush(options)
  })
  afterEach(() => stop())
}

/** Sets the service and the provider of the test that runs. Answers what stops both. */
export async function startPush({ callMs = 20_000, connections = 16 }: PushRigOptions): Promise<() => Promise<void>> {
  service = await startPushService()
  const caller = createCaller({ guard: createGuard({ resolve: async () => [], allowLocal: true }), timeoutMs: callMs, connections: 4 })
  provider = await createPushProvider({ provider: 'web-push', vapid, pool: db.pool, caller, callMs, connections })
  return async () => {
    await caller.close()
    await service.stop()
  }
}

/** The context of one command. */
export function contextOf(workspaceId: WorkspaceId = WORKSPACE, commandId: string = crypto.randomUUID()) {
  const at = new Date().toISOString()
  return { commandId, workspaceId, actor: 'test', requestId: 'req-1', at }
}

export function hashOf(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('hex')
}

const consent = { channel: 'push', status: 'subscribed', source: 'storefront_popup', ip: '192.0.2.1', userAgent: 'shop' } as const

/** Registers a browser of the contact, which consents. Answers its endpoint. */
export async function registerAt(
  contactId: ContactId,
  { endpoint, keys } = service.subscribe(),
  workspaceId: WorkspaceId = WORKSPACE,
): Promise<string> {
  const endpointHash = hashOf(endpoint)
  const data = { subscriptionId: crypto.randomUUID(), contactId, endpointHash, createdAt: new Date().toISOString() }
  const labels = { userAgent: null, browser: null, platform: null }
  const { state } = await rig.runner.execute({
    decider: pushSubscription,
    stream: pushSubscriptionStream(workspaceId, endpointHash),
    command: { type: 'RegisterPushSubscription', data: { ...data, ...keys, ...labels, endpoint } },
    context: contextOf(workspaceId),
  })
  await rig.runner.execute({
    decider: contact,
    stream: contactStream(workspaceId, contactId),
    command: { type: 'AddBrowser', data: { contactId, endpointHash, registration: state.registration, consent } },
    context: contextOf(workspaceId),
  })
  return endpoint
}

export async function subscriptionAt(endpoint: string): Promise<PushSubscriptionState> {
  const stream = pushSubscriptionStream(WORKSPACE, hashOf(endpoint))
  return (await rig.runner.load({ decider: pushSubscription, stream, workspaceId: WORKSPACE })).state
}

/** Queues a push to the contact. Answers its id. */
export async function acceptPush(
  contactId: ContactId,
  changed: Readonly<{ url?: string; body?: string }> = {},
  workspaceId: WorkspaceId = WORKSPACE,
): Promise<string> {
  const messageId = asMessageId(crypto.randomUUID())
  const texts = { title: 'Hi', body: 'Ada', url: null, icon: null, templateId: null, ...changed }
  await rig.runner.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: { type: 'AcceptPush', data: { ...texts, messageId, contactId, kind: 'marketing' } },
    context: contextOf(workspaceId, messageId),
    isNew: true,
  })
  return messageId
}

/** The message once it has one of these statuses. */
export async function statusOf(messageId: MessageId, ...wanted: readonly string[]) {
  await until(async () => expect(wanted).toContain((await rig.messageOf(messageId)).status))
  return await rig.messageOf(messageId)
}

/** The messages that the browser at the endpoint read. */
export function readBy(endpoint: string, { taken } = service): readonly unknown[] {
  return taken.filter((one) => one.endpoint === endpoint).map(({ text }) => JSON.parse(text))
}
