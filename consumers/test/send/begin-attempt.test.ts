import { createEventLog, type EventLog, memoryKeyRing, type Recorded, upcasters } from '@tidings/codec'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  type EmailAccepted,
  eventDeclarations,
  type MessageEvent,
  messageStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Job, Lease } from '@tidings/jobs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beginAttempt } from '../../src/send/begin-attempt.ts'
import { createRecentMessages, type RecentMessages } from '../../src/send/recent-messages.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const messageId = asMessageId('0192b1f0-0000-7000-8000-000000000001')
const UNCONFIRMED_AT = '2026-11-21T10:00:07.000Z'
const acceptance: EmailAccepted = {
  type: 'EmailAccepted',
  data: {
    messageId,
    contactId: asContactId('0192b1f0-0000-7000-8000-00000000000c'),
    channel: 'email',
    to: 'ada@example.com',
    fromEmail: 'hello@acme.example',
    fromName: null,
    replyTo: null,
    content: { subject: 's', html: 'h', text: null },
    contentId: null,
    templateId: null,
    kind: 'transactional',
  },
}

let log: EventLog
let recent: RecentMessages
beforeEach(async () => {
  // A message is remembered for some seconds.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  recent = createRecentMessages()
  await append('no_stream', acceptance, '2026-11-21T10:00:00.000Z')
  const [accepted] = await log.readStream(workspaceId, messageStream(workspaceId, messageId))
  recent.put(accepted as Recorded<EmailAccepted>)
})
afterEach(async () => {
  await log.close()
  vi.useRealTimers()
})

const append = (expected: 'no_stream' | 0, event: MessageEvent, at: string) =>
  log.append(messageStream(workspaceId, messageId), expected, [event], {
    commandId: `${messageId}:${event.type}`,
    workspaceId,
    actor: 'pipeline',
    requestId: 'r',
    at,
  })

const lease: Lease = {
  ensure: () => undefined,
  keep: () => ({ lost: () => false, end: () => undefined }),
  markTarget: async () => undefined,
}
const begin = (job: Partial<Job>) =>
  beginAttempt(
    {
      log,
      workspaces: { status: () => 'active' },
      suspended: { putOff: async () => ({ type: 'Deferred', inMs: 0, counts: false, deferredFor: 'workspace_suspended' }) },
      recent,
    },
    {
      job: { workspaceId, seq: 1n, attempt: 0, payload: messageId, takenOver: false, claimedBefore: false, ...job },
      lease,
      signal: new AbortController().signal,
    },
  )

test('the first claim of a job takes the message that was accepted a moment ago', async () => {
  expect(await begin({})).toMatchObject({ isJustAccepted: true, history: { revision: 0, unconfirmedAt: null } })
  expect(await begin({})).toMatchObject({ isJustAccepted: false })
})

test.each([
  ['a further attempt', { attempt: 1, claimedBefore: true }],
  ['an attempt after one that did not count', { attempt: 0, claimedBefore: true }],
])('%s reads what another process has recorded, though the message is remembered', async (_, job) => {
  const unconfirmed = {
    type: 'MessageUnconfirmed',
    data: { messageId, contactId: acceptance.data.contactId, channel: 'email', provider: 'p' },
  }
  await append(0, unconfirmed as MessageEvent, UNCONFIRMED_AT)
  expect(await begin(job)).toMatchObject({ isJustAccepted: false, history: { revision: 1, unconfirmedAt: UNCONFIRMED_AT } })
})
