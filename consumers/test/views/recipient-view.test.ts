import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { readContact } from '@tidings/directory'
import { asContactId, asWorkspaceId, type ContactEvent, contactStream, eventDeclarations } from '@tidings/domain'
import { START } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, test, vi } from 'vitest'
import { createRecipientView } from '../../src/views/recipient-view.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const contactId = asContactId('0192b1f0-0000-7000-8000-000000000002')
const of = { workspaceId, contactId }
const address = { email: 'ada@example.com', emailClaimId: null, phone: null, phoneClaimId: null }

/** A contact that was made before the view began to follow the log. */
async function withContact() {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const append = (event: ContactEvent) =>
    log.append(contactStream(workspaceId, contactId), 'any', [event], {
      ...{ commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at: '2026-01-01T00:00:00.000Z' },
    })
  await append({ type: 'ContactCreated', data: { contactId, ...address, firstName: 'Ada', source: 'api' } })
  const view = createRecipientView(log)
  view.attach?.({ isCaughtUp: () => true, since: () => START, position: () => START, hasPassed: async () => true })
  return { log, append, view, reads: vi.spyOn(log, 'readStream') }
}

test('a contact that is read to be written to is known to who asks whether it may be', async () => {
  const { view, reads } = await withContact()
  expect((await readContact(view, of))?.state.details.firstName).toBe('Ada')
  expect(view.find(workspaceId, contactId)).toMatchObject({ exists: true, email: 'ada@example.com' })
  expect(reads).toHaveBeenCalledTimes(1)
})

test('a contact that is known is read again to be written to, as the log has it', async () => {
  const { append, view } = await withContact()
  await readContact(view, of)
  await append({ type: 'ContactDetailsChanged', data: { contactId, firstName: 'Grace' } })
  expect((await readContact(view, of))?.state.details.firstName).toBe('Grace')
})

test('each that asks at one moment for a contact to write to gets its events', async () => {
  const { view } = await withContact()
  const found = await Promise.all([1, 2, 3].map(() => readContact(view, of)))
  expect(found.map((contact) => contact?.state.details.firstName)).toEqual(['Ada', 'Ada', 'Ada'])
})
