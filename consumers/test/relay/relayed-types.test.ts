import { eventDeclarations } from '@tidings/domain'
import { admission, SEND_CHANNELS } from '@tidings/jobs'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { cartConsumer } from '../../src/abandoned-carts/start-abandoned-carts.ts'
import { campaignConsumer } from '../../src/campaigns/campaign-consumer.ts'
import { listConsumer } from '../../src/dynamic-lists/list-consumer.ts'
import { erasureConsumer } from '../../src/erasures/start-erasures.ts'
import { flowConsumer } from '../../src/flows/flow-consumer.ts'
import { outcomeConsumer, smsOutcomeConsumer } from '../../src/outcomes/start-outcomes.ts'
import { RELAYED_TYPES } from '../../src/relay/relayed-types.ts'
import { messageConsumer } from '../../src/send/message-consumer.ts'
import { confirmationConsumer } from '../../src/senders/start-senders.ts'
import { type FanOut, fanOutConsumer } from '../../src/webhooks/fan-out.ts'

const idle: FanOut = {
  endpoints: { of: async () => new Map() },
  payloads: { of: async () => null, put: () => undefined, prepare: async () => undefined, clear: () => undefined },
  fromLog: true,
  keyRing: { shred: async () => undefined },
  freed: () => undefined,
  admission: () => ({ name: 'admit', call: '$1', values: [], done: () => undefined }),
}

const lanesOf = (kind: string) => ({
  admit: admission(kind),
  admission: () => ({ name: 'admit', call: '$1', values: [], done: () => undefined }),
})
const sending = {
  recent: { put: () => undefined, clear: () => undefined },
  transactional: lanesOf('send-email'),
  marketing: lanesOf('send-marketing-email'),
}

const consumers = [
  ...SEND_CHANNELS.map((channel) => messageConsumer(channel, sending)),
  outcomeConsumer({ admit: admission('email-outcome') }),
  smsOutcomeConsumer({ admit: admission('sms-outcome') }),
  confirmationConsumer({ admit: admission('sender-confirmation') }),
  cartConsumer({ admit: admission('abandoned-cart') }),
  fanOutConsumer(idle),
  erasureConsumer,
  listConsumer({ facts: { haveAny: async () => false, clear: () => undefined }, admit: admission('dynamic-lists') }),
  campaignConsumer({ admitReleases: admission('campaign-release'), onMoved: () => undefined }),
  flowConsumer({
    pool: new Pool(),
    flows: { at: async () => new Map() },
    admit: { entries: admission('e'), runs: admission('r'), releases: admission('l') },
  }),
]

test('everything that a consumer takes is relayed, and nothing else', () => {
  expect([...RELAYED_TYPES].sort()).toEqual([...new Set(consumers.flatMap(({ types }) => types))].sort())
})

test('what is relayed names its contact in clear: by that it finds its partition', () => {
  for (const type of RELAYED_TYPES) expect(eventDeclarations[type]?.personal?.fields ?? []).not.toContain('contactId')
})

test('what holds a secret is not relayed', () => {
  expect(RELAYED_TYPES).not.toContain('WebhookEndpointCreated')
})
