import type { Recorded } from '@tidings/codec'
import { eventDeclarations, withoutSecrets } from '@tidings/domain'
import { positionText } from '@tidings/event-store'
import type { AnalystEvent } from '../event.ts'
import type { AnalystProjection } from '../projection.ts'

export type View = (event: Recorded) => AnalystEvent

type Data = Readonly<Record<string, unknown>>

const without = (data: Data, hidden: ReadonlySet<string>): Data =>
  Object.fromEntries(Object.entries(data).filter(([field]) => !hidden.has(field)))

/** The types whose events have to be decrypted. */
export function openedTypes({ personal }: AnalystProjection): readonly string[] {
  return Object.keys(personal).filter((type) => (personal[type]?.length ?? 0) > 0)
}

/**
 * The event as `apply` gets it. A personal field that is not asked for is absent, also in an event that an older version stored in clear, and
 * beside others of the same event that are asked for. A secret that is asked for shows that it exists (M61).
 */
export function viewOf(projection: AnalystProjection, isOpened: boolean): View {
  const opened = new Set(isOpened ? openedTypes(projection) : [])
  const hidden = new Map(
    projection.events.map((type) => {
      const asked = opened.has(type) ? (projection.personal[type] ?? []) : []
      return [type, new Set((eventDeclarations[type]?.personal?.fields ?? []).filter((field) => !asked.includes(field)))] as const
    }),
  )
  // The cast is the edge between the log, which holds every event, and a file, which sees the types that it names.
  return ({ type, data, id, stream, revision, position, meta, erased, ended = [] }) => {
    const fields = hidden.get(type)
    const shown = withoutSecrets(type, data as Data) as Data
    return {
      type,
      data: fields === undefined || fields.size === 0 ? shown : without(shown, fields),
      ...{ id, stream, revision },
      position: positionText(position),
      at: meta.at,
      workspaceId: meta.workspaceId,
      erased: erased && opened.has(type),
      ended: opened.has(type) ? ended : [],
    } as AnalystEvent
  }
}
