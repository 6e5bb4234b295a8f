import type { Recorded } from '@tidings/codec'
import { asFlowId, type ContactBrowserAdded, type ContactEvent, type ContactId, type FlowId, type MessageId } from '@tidings/domain'
import type { WorkspaceQueries } from '@tidings/read-models'
import { sql } from 'kysely'

/** The streams of the log that are about a contact, beside its own. Only ids, a page at a time: their events are read when they are written. */
export type PersonStreams = Readonly<{
  messages: () => AsyncIterable<MessageId>
  activities: () => AsyncIterable<string>
  signUps: () => AsyncIterable<string>
  flows: () => AsyncIterable<FlowId>
  browsers: readonly string[]
}>

type PersonRef = Readonly<{ contactId: ContactId; own: readonly Recorded<ContactEvent>[] }>

const PAGE = 500

/** What the read side knows of them, the oldest first. `own`: the contact's stream. */
export function personStreams(reads: WorkspaceQueries, { contactId, own }: PersonRef): PersonStreams {
  const things = (kind: 'event' | 'form_submitted' | 'flow_entered') => thingsIn(reads, { contactId, kind })
  const added = own.filter((event): event is Recorded<ContactBrowserAdded> => event.type === 'ContactBrowserAdded' && !event.erased)
  return {
    messages: () => messagesIn(reads, contactId),
    activities: () => things('event'),
    signUps: () => things('form_submitted'),
    flows: () => flowsIn(things('flow_entered')),
    browsers: [...new Set(added.map(({ data }) => data.endpointHash))],
  }
}

async function* messagesIn(reads: WorkspaceQueries, contactId: ContactId): AsyncGenerator<MessageId> {
  for (let after: Readonly<{ at: Date; id: MessageId }> | null = null; ; ) {
    const all = reads.messages().select(['id', 'queued_at']).where('contact_id', '=', contactId)
    const next = after === null ? all : all.where(sql<boolean>`(queued_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`)
    const rows: readonly Readonly<{ id: MessageId; queued_at: Date }>[] = await next
      .orderBy('queued_at')
      .orderBy('id')
      .limit(PAGE)
      .execute()
    for (const { id } of rows) yield id
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = { at: last.queued_at, id: last.id }
  }
}

type Things = Readonly<{ contactId: ContactId; kind: 'event' | 'form_submitted' | 'flow_entered' }>

async function* thingsIn(reads: WorkspaceQueries, { contactId, kind }: Things): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const rows: readonly Readonly<{ thing_id: string; place: string }>[] = await reads
      .contactTimeline()
      .select(['thing_id', 'place'])
      .where('contact_id', '=', contactId)
      .where('kind', '=', kind)
      .where('place', '>', after)
      .orderBy('place')
      .limit(PAGE)
      .execute()
    for (const { thing_id: id } of rows) yield id
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = last.place
  }
}

/** Each once, however often the person entered it: flows are few. */
async function* flowsIn(entered: AsyncIterable<string>): AsyncGenerator<FlowId> {
  const seen = new Set<string>()
  for await (const id of entered) {
    if (seen.has(id)) continue
    seen.add(id)
    yield asFlowId(id)
  }
}
