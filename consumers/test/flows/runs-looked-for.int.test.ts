import { createEventLog, memoryKeyRing, type Recorded, upcasters } from '@tidings/codec'
import {
  asContactId,
  asFlowId,
  asMessageId,
  asWorkspaceId,
  eventDeclarations,
  type FlowEvent,
  flowsStream,
  type MessageSent,
  messageStream,
} from '@tidings/domain'
import { START } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Admission } from '@tidings/jobs'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { flowConsumer } from '../../src/flows/flow-consumer.ts'
import { rememberMessage } from '../../src/flows/flow-messages.ts'
import { createFlowView } from '../../src/flows/flow-view.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const other = asWorkspaceId('0192b1f0-0000-7000-8000-000000000002')
const flowId = asFlowId('0192b1f0-0000-7000-8000-0000000000f1')
const contactId = asContactId('0192b1f0-0000-7000-8000-0000000000c1')
const messageId = asMessageId('0192b1f0-0000-7000-8000-0000000000a1')

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  await db.drop()
})

const none: Admission = async () => () => undefined

const openFlows = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const write = (stream: string, event: FlowEvent | MessageSent, of = workspaceId) =>
    log.append(stream, 'any', [event], {
      ...{ commandId: crypto.randomUUID(), workspaceId: of, actor: 'test', requestId: 'r', at: '2026-01-01T00:00:00.000Z' },
    })
  const change = (event: FlowEvent) => write(flowsStream(workspaceId), event)
  const outcomeIn = async (of: typeof workspaceId): Promise<Recorded> => {
    const stream = messageStream(of, messageId)
    const sent = {
      type: 'MessageSent',
      data: { messageId, contactId, channel: 'email', provider: 'outbox', providerMessageId: 'm' },
    } as const
    await write(stream, sent, of)
    const last = (await log.readStream(of, stream)).at(-1)
    if (last === undefined) throw new Error('nothing was written')
    return last
  }
  const flows = createFlowView(log)
  // A follower that is behind: what the view has read before is old.
  flows.attach?.({ isCaughtUp: () => true, since: () => START, position: () => START, hasPassed: async () => false })
  const consumer = flowConsumer({ pool: db.pool, flows, admit: { entries: none, runs: none, releases: none } })
  return { change, outcomeIn, concerns: async (...events: readonly Recorded[]) => await consumer.concerns?.(events) }
}

const defined: FlowEvent = {
  type: 'FlowDefined',
  data: { flowId, name: 'Welcome', version: 1, trigger: { type: 'contact_created' }, steps: [] },
}

test('no run is looked for where the workspace never had a flow', async () => {
  const { outcomeIn, concerns } = openFlows()
  await rememberMessage(db.pool, messageId, { workspaceId, flowId, contactId })
  const looks = vi.spyOn(db.pool, 'query')
  expect(await concerns(await outcomeIn(workspaceId), await outcomeIn(other))).toBe(false)
  expect(looks).not.toHaveBeenCalled()
})

test('a run is found behind a flow that was made a moment ago, paused, resumed, retired or restored', async () => {
  const { change, outcomeIn, concerns } = openFlows()
  // The view keeps that there is none yet.
  expect(await concerns(await outcomeIn(workspaceId))).toBe(false)
  await change(defined)
  await rememberMessage(db.pool, messageId, { workspaceId, flowId, contactId })
  expect(await concerns(await outcomeIn(workspaceId))).toBe(true)
  for (const type of ['FlowPaused', 'FlowResumed', 'FlowRetired', 'FlowRestored'] as const) {
    await change({ type, data: { flowId } })
    expect(await concerns(await outcomeIn(workspaceId)), type).toBe(true)
  }
  // Beside outcomes of a workspace that has none.
  expect(await concerns(await outcomeIn(workspaceId), await outcomeIn(other))).toBe(true)
  expect(await concerns(await outcomeIn(other))).toBe(false)
})
