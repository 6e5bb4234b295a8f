import { asContactId, asListId, type ContactId, type DomainEvent, type MembersEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { listsProjection } from '../../src/lists/lists.projection.ts'
import { moment, recorded, WORKSPACE } from '../recorded.ts'

const listId = asListId('0192f0c1-0000-7000-8000-00000000000c')
const [ann, bob] = [asContactId('0192f0c1-0000-7000-8000-0000000000aa'), asContactId('0192f0c1-0000-7000-8000-0000000000bb')]

const created = { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } } as const
const added = (contactId: ContactId): MembersEvent => ({ type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } })
const removed = (contactId: ContactId): MembersEvent => ({ type: 'ContactRemovedFromList', data: { listId, contactId, reason: 'time' } })
const of = { workspace_id: WORKSPACE, list_id: listId }

test('a list has a row, and no count while it had no member', () => {
  expect(foldAll(listsProjection, recorded([created]))).toEqual({
    lists: [{ workspace_id: WORKSPACE, id: listId, name: 'VIP', type: 'static', created_at: moment(1), updated_at: moment(1) }],
    list_members: [],
    list_totals: [],
    contact_births: [],
  })
})

test('its members are those who were added and not removed, and are counted', () => {
  const rows = foldAll(listsProjection, recorded([created, added(ann), added(bob), removed(ann)]))
  expect(rows.list_members).toEqual([{ ...of, contact_id: bob, added_at: moment(3), contact_created_at: moment(3) }])
  expect(rows.list_totals).toEqual([{ ...of, total: 1n }])
})

test('who comes back is a member since then', () => {
  const rows = foldAll(listsProjection, recorded([created, added(ann), removed(ann), added(ann)]))
  expect(rows.list_members).toEqual([{ ...of, contact_id: ann, added_at: moment(4), contact_created_at: moment(4) }])
  expect(rows.list_totals).toEqual([{ ...of, total: 1n }])
})

test('a member stands where its profile does in the order of creation', () => {
  const birth: DomainEvent = {
    type: 'ContactCreated',
    data: {
      ...{ contactId: ann, email: null, emailClaimId: null, phone: null, phoneClaimId: null, source: 'api' },
      ...{ firstName: null, lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} },
    },
  }
  const rows = foldAll(listsProjection, recorded([birth, created, added(ann)]))
  expect(rows.list_members).toMatchObject([{ added_at: moment(3), contact_created_at: moment(1) }])
})

test('members do not move a list in the order of lists', () => {
  expect(foldAll(listsProjection, recorded([created, added(ann)])).lists).toMatchObject([{ updated_at: moment(1) }])
})
