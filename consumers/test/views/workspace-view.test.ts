import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { asWorkspaceId, type DomainEvent, eventDeclarations, workspaceStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, it } from 'vitest'
import { createWorkspaceView } from '../../src/views/workspace-view.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')

const viewAfter = async (...events: readonly DomainEvent[]) => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const context = { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at: '2026-01-01T00:00:00.000Z' }
  await log.append(workspaceStream(workspaceId), 'any', events, context)
  return createWorkspaceView(log)
}

const domain = (name: string, verified: boolean | null): DomainEvent => ({
  type: 'SenderDomainConfigured',
  data: { domain: name, verified, blocklisted: null },
})
const address = (email: string): DomainEvent => ({
  type: 'SenderAddressConfigured',
  data: { addressId: crypto.randomUUID(), email, name: null, status: 'verified' },
})
const SPELLINGS = ['hello@bücher.example', 'HELLO@xn--bcher-kva.example', 'hello@bu\u0308cher.example']

it.each(SPELLINGS)('a sender that the log has as %s may be used in every spelling', async (stored) => {
  const view = await viewAfter(domain(stored.slice(stored.indexOf('@') + 1), true), address(stored))
  for (const spelled of SPELLINGS) expect(await view.senderStatus(workspaceId, spelled)).toBe('verified')
  expect(await view.senderStatus(workspaceId, 'hello@bucher.example')).toBe('unverified')
})

it('of a domain that the log has in two spellings, the one that is verified counts', async () => {
  const view = await viewAfter(domain('xn--bcher-kva.example', true), domain('bücher.example', null), address('hello@bücher.example'))
  for (const spelled of SPELLINGS) expect(await view.senderStatus(workspaceId, spelled)).toBe('verified')
})
