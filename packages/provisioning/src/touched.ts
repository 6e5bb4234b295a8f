import { sameJson } from '@tidings/domain'

/** What a command is about, as it was; an empty path is all of the state. */
type TouchedPart = Readonly<{ path: readonly string[]; value: unknown }>

/** Parts of a workspace that are records by their ids: one may change beside the other. */
const RECORDS: ReadonlySet<string> = new Set(['senderDomains', 'senderAddresses', 'forms'])

type Fields = Readonly<Record<string, unknown>>

const changedIn = (before: Fields, after: Fields): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !sameJson(before[key] ?? null, after[key] ?? null))

/**
 * What of the state of a workspace becomes another. Its stream has much that no person writes, such as that a mail was sent or what DNS says, which a
 * command about something else neither sees nor changes.
 */
export function touchedOfWorkspace(before: object, after: object): readonly TouchedPart[] {
  // The casts hold: a state is a map of its parts, and those named in RECORDS are maps of records.
  const [was, is] = [before as Fields, after as Fields]
  return changedIn(was, is).flatMap((part) => {
    if (!RECORDS.has(part)) return [{ path: [part], value: was[part] }]
    const [records, others] = [was[part] as Fields, is[part] as Fields]
    return changedIn(records, others).map((id) => ({ path: [part, id], value: records[id] ?? null }))
  })
}

/** Whether each part still is as it was. */
export function isUntouched(state: unknown, parts: readonly TouchedPart[]): boolean {
  return parts.every(({ path, value }) => {
    const found = path.reduce<unknown>((at, step) => (at as Fields | undefined)?.[step], state)
    return sameJson(found ?? null, value ?? null)
  })
}
