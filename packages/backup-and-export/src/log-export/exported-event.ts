import { type EventLog, parseMeta, type Recorded, unknownType } from '@tidings/codec'
import { type WorkspaceId, withoutSecrets } from '@tidings/domain'
import { positionText, type RecordedEvent } from '@tidings/event-store'

/** An event as it is exported; `data` and `meta` are JSON texts of one line. */
export type ExportedEvent = Readonly<{
  position: string
  at: string
  stream: string
  revision: number
  type: string
  workspaceId: WorkspaceId
  id: string
  /** The person's key is gone, and every personal field of `data` is null; null where nothing was opened. */
  erased: boolean | null
  /** The kinds of details that a retention has ended, whose fields are null; null where nothing was opened or has ended. */
  ended: NonNullable<Recorded['ended']> | null
  data: string
  meta: string
}>

/** `failure` is why the event behind `events` cannot be exported. */
type ExportedPage = Readonly<{ events: readonly ExportedEvent[]; failure: Error | null }>

/** Makes a page of stored events what the export holds of them. */
export type ToExported = (stored: readonly RecordedEvent[]) => Promise<ExportedPage>

/** Decrypted and in today's shape, secrets hidden (M61). Without the keys' database it rejects with `Unavailable`. */
export function opened(log: Pick<EventLog, 'decode'>): ToExported {
  return async (stored) => {
    if (stored.length === 0) return { events: [], failure: null }
    const { events, failure } = await log.decode(stored)
    const exported = events.map(({ data, erased, ended = null, meta: { workspaceId } }, n) =>
      exportedOf(stored[n]!, { workspaceId, erased, ended, data: JSON.stringify(withoutSecrets(stored[n]!.type, data as object)) }),
    )
    return { events: exported, failure }
  }
}

/** The event with its texts as stored, for types that this build knows. */
export function sealed(known: ReadonlySet<string>): ToExported {
  return async (stored) => {
    const unknown = stored.findIndex(({ type }) => !known.has(type))
    const events = (unknown < 0 ? stored : stored.slice(0, unknown)).map((event) =>
      exportedOf(event, { workspaceId: parseMeta(event).workspaceId, erased: null, ended: null, data: oneLine(event.data) }),
    )
    return { events, failure: unknown < 0 ? null : unknownType(stored[unknown]!) }
  }
}

const exportedOf = (event: RecordedEvent, what: Pick<ExportedEvent, 'workspaceId' | 'erased' | 'ended' | 'data'>): ExportedEvent => ({
  position: positionText(event.position),
  at: event.created,
  stream: event.stream,
  revision: event.revision,
  type: event.type,
  id: event.id,
  meta: oneLine(event.meta),
  ...what,
})

/** JSON may be spread over lines; Tidings writes none that is. */
export function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? JSON.stringify(JSON.parse(json)) : json
}
