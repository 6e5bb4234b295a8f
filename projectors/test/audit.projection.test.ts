import { asContactId, asListId, asTemplateId, type DomainEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import type { AuditRow } from '@tidings/read-models'
import { expect, it } from 'vitest'
import { auditProjection } from '../src/audit.projection.ts'
import { recorded } from './recorded.ts'

const contactId = asContactId('0192f0c1-0000-7000-8000-00000000000b')
const listId = asListId('0192f0c1-0000-7000-8000-00000000000c')
const templateId = asTemplateId('0192f0c1-0000-7000-8000-00000000000d')
const archived: DomainEvent = { type: 'TemplateArchived', data: { templateId } }
const joined: DomainEvent = { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } }
const status: DomainEvent = { type: 'WorkspaceStatusChanged', data: { status: 'suspended', reason: null } }

const rowsBy = (actor: string, ...events: readonly DomainEvent[]) => {
  const all = recorded(events).map((event) => ({ ...event, meta: { ...event.meta, actor } }))
  const rows = (foldAll(auditProjection, all).audit ?? []) as readonly AuditRow<string>[]
  return rows.toSorted((one, other) => (one.place < other.place ? -1 : 1)).map(({ type, thing }) => [type, thing])
}

it.each(['user:0192f0c1-0000-7000-8000-00000000000e', 'operator:0192f0c1-0000-7000-8000-00000000000e'])(
  'a row says what %s did, and with what',
  (actor) =>
    expect(rowsBy(actor, archived, joined, status)).toEqual([
      ['TemplateArchived', templateId],
      ['ContactAddedToList', listId],
      ['WorkspaceStatusChanged', null],
    ]),
)

it.each(['key:0192f0c1-0000-7000-8000-00000000000e', 'operator'])('%s leaves rows of what it set up, and none of people', (actor) =>
  expect(rowsBy(actor, joined, archived)).toEqual([['TemplateArchived', templateId]]),
)

it.each(['pipeline', 'provider', 'recipient', 'service', 'operators', 'users:x', ''])('%j leaves none', (actor) =>
  expect(rowsBy(actor, joined, archived, status)).toEqual([]),
)
