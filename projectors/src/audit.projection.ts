import type { Recorded } from '@tidings/codec'
import { AUDITED_CONFIGURATION, AUDITED_OF_PEOPLE, type AuditedType, type DomainEvent } from '@tidings/domain'
import { defineProjection, defineTable, type Rows } from '@tidings/projections'
import { type AuditRow, timelinePlace } from '@tidings/read-models'

const audit = defineTable<AuditRow<string>>({
  name: 'audit',
  columns: {
    workspace_id: 'uuid',
    place: 'text',
    at: 'timestamptz',
    actor: 'text',
    type: 'text',
    thing: 'text?',
    request_id: 'text',
  },
  key: ['workspace_id', 'place'],
  indices: [{ name: 'by_actor', on: 'workspace_id, actor, place' }],
})

type AuditedEvent = Extract<DomainEvent, { type: AuditedType }>

const SIGNED_IN = /^(?:user|operator):/
const SOMEBODY = /^(?:user:|key:|operator(?::|$))/

const noteOf =
  (actors: RegExp, field: string | null) =>
  ({ id, type, data, revision, meta }: Recorded<AuditedEvent>, rows: Rows): void => {
    if (!actors.test(meta.actor)) return
    const { workspaceId, actor, at, requestId } = meta
    const thing = field === null ? null : String((data as Readonly<Record<string, unknown>>)[field] ?? '')
    const place = timelinePlace({ at, thingId: id, revision })
    rows.create(audit, { workspace_id: workspaceId, place, at, actor, type, thing, request_id: requestId })
  }

const notesOf = (things: Readonly<Record<string, string | null>>, actors: RegExp) =>
  Object.entries(things).map(([type, field]) => [type, noteOf(actors, field)] as const)

/** The projection says who did what, in ids alone: what a service or a recipient caused is not in it. An erasure takes no row away: an id that somebody changed says nothing of a person. */
export const auditProjection = defineProjection<AuditedEvent>({
  name: 'audit',
  version: 1,
  tables: [audit],
  personal: [],
  // No request waits for it.
  isPatient: () => true,
  reads: () => [],
  on: Object.fromEntries([...notesOf(AUDITED_CONFIGURATION, SOMEBODY), ...notesOf(AUDITED_OF_PEOPLE, SIGNED_IN)]) as Readonly<
    Record<AuditedType, (event: Recorded<AuditedEvent>, rows: Rows) => void>
  >,
})
