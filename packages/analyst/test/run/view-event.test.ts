import type { Recorded } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { projection } from '../../src/projection.ts'
import { viewOf } from '../../src/run/view-event.ts'

const made = projection({
  name: 'notes',
  events: ['CreditsAdded', 'MessageDelivered'],
  personal: { CreditsAdded: [] },
  applyBatch: async () => undefined,
})

const recorded = (type: string, data: object): Recorded => ({
  ...{ type, data, id: 'id', stream: 'wallet-1', revision: 2, position: { commit: 7n, prepare: 0n }, created: '', erased: true },
  meta: { workspaceId: asWorkspaceId('w'), actor: 'operator', requestId: 'r', schemaVersion: 1, at: '2026-01-01T00:00:00.000Z' },
})

test('a personal field that an older version left in clear is as absent as an encrypted one', () => {
  const stored = recorded('CreditsAdded', { amount: 5, note: 'for José', commandId: null })
  for (const isOpened of [false, true]) {
    expect(viewOf(made, isOpened)(stored)).toEqual({
      ...{ type: 'CreditsAdded', id: 'id', stream: 'wallet-1', revision: 2, position: '00000000000000000007' },
      ...{ data: { amount: 5, commandId: null }, at: '2026-01-01T00:00:00.000Z', workspaceId: 'w', erased: false, ended: [] },
    })
  }
})

test('data that names no person is given as it is', () => {
  const data = { messageId: 'm' }
  expect(viewOf(made, false)(recorded('MessageDelivered', data)).data).toBe(data)
})

test('a secret that is asked for shows that it exists, and not what it is', () => {
  const webhooks = projection({
    name: 'endpoints',
    events: ['WebhookEndpointCreated'],
    personal: { WebhookEndpointCreated: ['url', 'signingSecret'] },
    applyBatch: async () => undefined,
  })
  const stored = recorded('WebhookEndpointCreated', { endpointId: 'e', url: 'https://shop.example', label: 'L', signingSecret: 'whsec_1' })
  expect(viewOf(webhooks, true)(stored).data).toEqual({ endpointId: 'e', url: 'https://shop.example', signingSecret: '(secret)' })
  expect(viewOf(webhooks, false)(stored).data).toEqual({ endpointId: 'e' })
})
