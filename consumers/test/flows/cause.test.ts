import { asWorkspaceId } from '@tidings/domain'
import { expect, it } from 'vitest'
import { causeOf } from '../../src/flows/cause.ts'
import { recorded } from '../testing/recorded.ts'

const event = (type: string, data: object) => recorded({ type, data: { contactId: 'c', ...data } }, asWorkspaceId('w'))

it.each([
  ['ContactCreated', { source: 'api' }, { type: 'contact_created' }],
  ['SignUpConfirmed', { signUpId: 's' }, { type: 'contact_created' }],
  ['ContactAddedToList', { listId: 'l' }, { type: 'list_joined', listId: 'l' }],
  ['ContactAddedToList', { listId: 'l', reason: 'event' }, { type: 'list_joined', listId: 'l' }],
  ['ActivityRecorded', { event: 'order_placed' }, { type: 'custom_event', event: 'order_placed' }],
])('%s %j lets a contact in', (type, data, trigger) => {
  expect(causeOf(event(type, data))).toMatchObject({ contactId: 'c', workspaceId: 'w', eventId: event(type, data).id, trigger })
})

it('a member that a list has when its rule is made enters no flow', () => {
  expect(causeOf(event('ContactAddedToList', { listId: 'l', reason: 'rule' }))).toBeNull()
})

it.each(['embedded_form_unconfirmed', 'store_history'])('a contact that %s created enters no flow by that', (source) => {
  expect(causeOf(event('ContactCreated', { source }))).toBeNull()
})

it('what a store reports a day late enters no flow; what happened within the day does, and what is late by our own clock', () => {
  const report = (source: string, occurredAt: string) =>
    causeOf(event('ActivityRecorded', { event: 'order.completed', source, occurredAt }))
  expect(report('store', '2026-11-21T08:59:59.999Z')).toBeNull()
  expect(report('store', '2020-01-01T00:00:00.000Z')).toBeNull()
  expect(report('store', '2026-11-21T09:00:00.000Z')).not.toBeNull()
  expect(report('service', '2026-11-21T08:00:00.000Z')).not.toBeNull()
})
