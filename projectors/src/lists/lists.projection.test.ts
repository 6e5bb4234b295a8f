import type { MembersEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { moment, recorded, WORKSPACE } from '../../test/recorded.ts'
import { listsProjection } from './lists.projection.ts'

const listId = '0192f0c1-0000-7000-8000-00000000000c'
const [ann, bob] = ['0192f0c1-0000-7000-8000-0000000000aa', '0192f0c1-0000-7000-8000-0000000000bb']

const created = { type: 'ListCreated', data: { listId, name: 'VIP', listType: 'static' } } as const
const added = (contactId: string): MembersEvent => ({ type: 'ContactAddedToList', data: { listId, contactId } })
const removed = (contactId: string): MembersEvent => ({ type: 'ContactRemovedFromList', data: { listId, contactId } })
const of = { workspace_id: WORKSPACE, list_id: listId }

test('a list has a row, and no count while nobody was on it', () => {
  expect(foldAll(listsProjection, recorded([created]))).toEqual({
    lists: [{ workspace_id: WORKSPACE, id: listId, name: 'VIP', type: 'static', created_at: moment(1), updated_at: moment(1) }],
    list_members: [],
    list_totals: [],
  })
})

test('its members are those who were added and not removed, and are counted', () => {
  const rows = foldAll(listsProjection, recorded([created, added(ann), added(bob), removed(ann)]))
  expect(rows.list_members).toEqual([{ ...of, contact_id: bob, added_at: moment(3) }])
  expect(rows.list_totals).toEqual([{ ...of, total: 1n }])
})

test('who comes back is a member since then', () => {
  const rows = foldAll(listsProjection, recorded([created, added(ann), removed(ann), added(ann)]))
  expect(rows.list_members).toEqual([{ ...of, contact_id: ann, added_at: moment(4) }])
  expect(rows.list_totals).toEqual([{ ...of, total: 1n }])
})

test('members do not move a list in the order of lists', () => {
  expect(foldAll(listsProjection, recorded([created, added(ann)])).lists).toMatchObject([{ updated_at: moment(1) }])
})
