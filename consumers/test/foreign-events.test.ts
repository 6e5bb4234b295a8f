import { createEventLog, type EventLog, ForeignEvent, memoryKeyRing, upcasters } from '@tidings/codec'
import {
  asContactId,
  asEndpointId,
  asListId,
  asMessageId,
  asWorkspaceId,
  contactStream,
  type DomainEvent,
  eventDeclarations,
  listStream,
  messageStream,
  webhooksStream,
  workspaceStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { noteOutcome } from '../src/outcomes/note-outcome.ts'
import { existingHistory } from '../src/send/history.ts'
import { createRecipientView } from '../src/views/recipient-view.ts'
import { createWorkspaceView } from '../src/views/workspace-view.ts'
import { createEndpointView } from '../src/webhooks/endpoint-view.ts'
import { createPayloadReader } from '../src/webhooks/payload-reader.ts'
import { createPayloads } from '../src/webhooks/payloads.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const other = asWorkspaceId('0192b1f0-0000-7000-8000-000000000002')
const id = '0192b1f0-0000-7000-8000-00000000000a'

let log: EventLog
beforeEach(() => {
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
})
afterEach(async () => {
  await log.close()
})

/** A stream of the workspace with an event that another workspace wrote into it. */
const spoil = async (stream: string, event: DomainEvent): Promise<void> => {
  const context = { commandId: crypto.randomUUID(), workspaceId: other, actor: 'test', requestId: 'r', at: '2026-01-01T00:00:00.000Z' }
  await log.append(stream, 'any', [event], context)
}

const renamed: DomainEvent = { type: 'ContactDetailsChanged', data: { contactId: asContactId(id), firstName: 'Eve' } }
const suspended: DomainEvent = { type: 'WorkspaceStatusChanged', data: { status: 'suspended', reason: null } }
const paused: DomainEvent = { type: 'WebhookEndpointPaused', data: { endpointId: asEndpointId(id) } }
const listed: DomainEvent = { type: 'ListCreated', data: { listId: asListId(id), name: 'Secret', listType: 'static' } }
const unconfirmed: DomainEvent = { type: 'MessageUnconfirmed', data: { messageId: asMessageId(id) } } as DomainEvent
const job = { workspaceId, payload: `${id}@0` } as Parameters<typeof noteOutcome>[1]

const callers: readonly (readonly [string, string, DomainEvent, () => unknown])[] = [
  ['a recipient', contactStream(workspaceId, asContactId(id)), renamed, () => createRecipientView(log).find(workspaceId, asContactId(id))],
  ['a workspace', workspaceStream(workspaceId), suspended, () => createWorkspaceView(log).status(workspaceId)],
  ['the endpoints', webhooksStream(workspaceId), paused, () => createEndpointView(log).of(workspaceId)],
  ['a message', messageStream(workspaceId, asMessageId(id)), unconfirmed, () => existingHistory(log, workspaceId, asMessageId(id))],
  ['an outcome', messageStream(workspaceId, asMessageId(id)), unconfirmed, () => noteOutcome({ log, commands: {} as never }, job)],
  [
    'the name of a list',
    listStream(workspaceId, asListId(id)),
    listed,
    () => createPayloadReader(log, memoryKeyRing()).listName(workspaceId, asListId(id)),
  ],
  [
    'what a webhook says',
    contactStream(workspaceId, asContactId(id)),
    renamed,
    () =>
      createPayloads(createPayloadReader(log, memoryKeyRing())).of({
        workspaceId,
        event: 'contact.updated',
        source: `${contactStream(workspaceId, asContactId(id))}@0`,
      }),
  ],
]

it.each(callers)('%s is not read from a stream that holds an event of another workspace', async (_, stream, event, read) => {
  await spoil(stream, event)
  await expect(Promise.resolve().then(read)).rejects.toThrow(ForeignEvent)
})
