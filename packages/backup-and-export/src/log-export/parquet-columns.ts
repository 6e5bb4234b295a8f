import { parseMeta } from '@tidings/codec'
import { asContactId, type ContactId } from '@tidings/domain'
import type { SchemaElement } from 'hyparquet'
import type { ExportedEvent } from './exported-event.ts'

/** The source of a row. */
type Source = Readonly<{ event: ExportedEvent; meta: ReturnType<typeof parseMeta>; contactId: ContactId | null }>

type Column = Readonly<{ element: SchemaElement; of: (source: Source) => unknown }>

type Kind = 'text' | 'time' | 'int' | 'boolean'

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  int: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Record<Kind, Omit<SchemaElement, 'name'>>

const column = (name: string, kind: Kind, of: Column['of'], optional = false): Column => ({
  element: { name, ...TYPES[kind], repetition_type: optional ? 'OPTIONAL' : 'REQUIRED' },
  of,
})

/** People's queries name them: columns are added at the end, and none is renamed or taken away. None is a word of SQL, as `at` is. */
const COLUMNS: readonly Column[] = [
  column('position', 'text', ({ event }) => event.position),
  column('stored_at', 'time', ({ event }) => new Date(event.at)),
  column('stream', 'text', ({ event }) => event.stream),
  column('revision', 'int', ({ event }) => event.revision),
  column('type', 'text', ({ event }) => event.type),
  column('workspace_id', 'text', ({ event }) => event.workspaceId),
  column('contact_id', 'text', ({ contactId }) => contactId, true),
  column('id', 'text', ({ event }) => event.id),
  column('erased', 'boolean', ({ event }) => event.erased, true),
  column('data', 'text', ({ event }) => event.data),
  column('actor', 'text', ({ meta }) => meta.actor),
  column('request_id', 'text', ({ meta }) => meta.requestId),
  column('causation_id', 'text', ({ meta }) => meta.causationId ?? null, true),
  column('schema_version', 'int', ({ meta }) => meta.schemaVersion),
  column('requested_at', 'time', ({ meta }) => new Date(meta.at)),
  column('ended', 'text', ({ event }) => event.ended?.join(' ') ?? null, true),
]

/** The root comes first, then the columns. */
export const SCHEMA: SchemaElement[] = [{ name: 'event', num_children: COLUMNS.length }, ...COLUMNS.map(({ element }) => element)]

/** The values of each column, in the order of the events. */
export function columnsOf(events: readonly ExportedEvent[]): { name: string; data: unknown[]; offsetIndex: false }[] {
  const sources = events.map((event): Source => ({ event, meta: parseMeta(event), contactId: contactIdOf(event) }))
  return COLUMNS.map(({ element: { name }, of }) => ({ name, data: sources.map(of), offsetIndex: false }))
}

const CONTACT_STREAM = /^contact-[0-9a-f-]{36}-([0-9a-f-]{36})$/

/** The contact that an event is about: its `contactId`, or the contact whose stream it is in. */
const contactIdOf = ({ stream, data }: ExportedEvent): ContactId | null => {
  const { contactId } = JSON.parse(data) as Readonly<{ contactId?: unknown }>
  const named = typeof contactId === 'string' ? contactId : CONTACT_STREAM.exec(stream)?.[1]
  return named === undefined ? null : asContactId(named)
}
