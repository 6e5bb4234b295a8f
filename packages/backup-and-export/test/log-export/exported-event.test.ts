import type { Recorded } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import type { RecordedEvent } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { opened } from '../../src/log-export/exported-event.ts'

const secrets = {
  ConnectorConfigured: { connectorId: 'c', secret: 'once in clear' },
  DkimKeyCreated: { domain: 'shop.example', privateKey: 'once in clear' },
  PushSubscriptionRegistered: { endpoint: 'https://push.example', auth: 'once in clear' },
  UserConfigured: { email: 'ada@example.com', passwordHash: 'once in clear' },
  WebhookEndpointCreated: { url: 'https://shop.example', signingSecret: 'once in clear' },
}

test('an opened event shows that its secret exists, and not what it is (M61)', async () => {
  const stored = Object.keys(secrets).map((type, revision): RecordedEvent => {
    const position = { commit: BigInt(revision + 1), prepare: 0n }
    return { id: type, type, data: '{}', meta: '{}', stream: 's', revision, position, created: '2026-01-01T00:00:00.000Z' }
  })
  const meta = { workspaceId: asWorkspaceId('w'), actor: 'operator', requestId: 'r', schemaVersion: 1, at: '2026-01-01T00:00:00.000Z' }
  const events = stored.map((event): Recorded => ({ ...event, data: secrets[event.type as keyof typeof secrets], meta, erased: false }))
  const exported = await opened({ decode: async () => ({ events, done: events.length, failure: null }) })(stored)
  for (const { type, data } of exported.events) {
    expect([type, data]).toEqual([type, expect.stringContaining('"(secret)"')])
    expect([type, data]).toEqual([type, expect.not.stringContaining('once in clear')])
  }
  expect(exported.events).toHaveLength(5)
})
