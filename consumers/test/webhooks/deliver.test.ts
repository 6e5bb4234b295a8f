import { createSecretKey } from 'node:crypto'
import { asEndpointId, asWorkspaceId } from '@tidings/domain'
import { expect, it } from 'vitest'
import { backoffFrom, type Delivering, deliver } from '../../src/webhooks/deliver.ts'
import type { Attempt, Delivery } from '../../src/webhooks/queue/statements.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const endpointId = asEndpointId('0192b1f0-0000-7000-8000-00000000000e')
const position = { commit: 9n, prepare: 0n }
const delivery = (attempt: number): Delivery => ({
  ...{ id: 1n, workspaceId, endpointId, event: 'contact.created', source: 'contact-x@0', position, attempt, retried: false },
})

const meta = { workspaceId, actor: 'pipeline', requestId: 'request', schemaVersion: 1, at: '2026-01-01T00:00:00.000Z' }

const answering = (status: number) => {
  const dropped: { delivery: Delivery; attempt: Attempt }[] = []
  const endpoint = {
    ...{ id: endpointId, url: 'https://receiver.example/', active: true, key: createSecretKey(Buffer.from('secret')) },
    ...{ wanted: new Set(['contact.created']), since: { commit: 1n, prepare: 0n } },
  }
  const delivering: Delivering = {
    workspaces: { status: () => 'active' },
    endpoints: { of: async () => new Map([[endpointId, endpoint]]) },
    payloads: { of: async () => ({ event: 'contact.created', causeId: 'cause', data: '{}', meta }) },
    caller: { post: async () => ({ status }) },
    backoffMs: backoffFrom(5_000),
    standardHeaders: false,
    onDropped: (given, attempt) => dropped.push({ delivery: given, attempt }),
  }
  return { dropped, attempt: (n: number) => deliver(delivering, delivery(n), new AbortController().signal) }
}

it('names the delivery that it gives up after the fifth failure, and none before', async () => {
  const { dropped, attempt } = answering(500)
  for (const n of [0, 1, 2, 3]) expect((await attempt(n)).again).not.toBeNull()
  expect(dropped).toEqual([])
  expect((await attempt(4)).again).toBeNull()
  expect(dropped).toMatchObject([{ delivery: { workspaceId }, attempt: { endpointId, event: 'contact.created', attempt: 5, status: 500 } }])
})

it('names one that a receiver redirects at once, and none that is delivered', async () => {
  const redirected = answering(308)
  await redirected.attempt(0)
  expect(redirected.dropped).toMatchObject([{ attempt: { attempt: 1, status: 308 } }])
  const taken = answering(204)
  await taken.attempt(4)
  expect(taken.dropped).toEqual([])
})
