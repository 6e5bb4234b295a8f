import { asContactId, type ListEvent, type ListId, type MembersEvent } from '@tidings/domain'
import fc from 'fast-check'
import { words } from './arbitraries.ts'

/** A list's own stream. */
export function listLife(listId: ListId): fc.Arbitrary<readonly ListEvent[]> {
  return fc
    .record({ name: words, listType: fc.constantFrom('static', 'dynamic') })
    .map((data): readonly ListEvent[] => [{ type: 'ListCreated', data: { listId, ...data } }])
}

/** One bucket of a list: contacts that come and go, each addition and removal a change. */
export function membersLife(listId: ListId): fc.Arbitrary<readonly MembersEvent[]> {
  return fc
    .array(fc.uuid().map(asContactId), { minLength: 1, maxLength: 3 })
    .chain((contacts) => fc.array(fc.constantFrom(...contacts), { maxLength: 8 }))
    .map((touched) => {
      const present = new Set<string>()
      return touched.map((contactId): MembersEvent => {
        const isThere = present.delete(contactId)
        if (!isThere) present.add(contactId)
        return { type: isThere ? 'ContactRemovedFromList' : 'ContactAddedToList', data: { listId, contactId, reason: 'request' } }
      })
    })
}
