import { unknownType, workspaceIdIn } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import { type EventBytes, positionText } from '@tidings/event-store'
import { oneLine } from './exported-event.ts'
import { BEFORE_META, LINE_END, lineStart } from './ndjson.ts'
import type { ToBytes } from './part.ts'

const [MIDDLE, END] = [Buffer.from(BEFORE_META), Buffer.from(LINE_END)]
/** The most bytes of UTF-8 that a unit of a text takes. */
const BYTES_A_UNIT = 3

type Line = Readonly<{ start: string; data: Buffer; meta: Buffer }>

/**
 * The lines of stored events of the types that this build knows, as `ndjson` makes them of `sealed` ones. Data and metadata are copied from
 * what the store has read to what is written, and are no text in between. The bytes last until there are others twice: when the file takes
 * some, it has written those before.
 */
export function sealedLines(known: ReadonlySet<string>): ToBytes<EventBytes> {
  const joined = inTwoBuffers()
  return async (stored) => {
    const unknown = stored.findIndex(({ type }) => !known.has(type))
    const lines = linesOf(unknown < 0 ? stored : stored.slice(0, unknown))
    const bytes = joined(lines)
    return {
      bytes: areLines(bytes, lines.length) ? bytes : joinedAsLines(lines),
      events: lines.length,
      failure: unknown < 0 ? null : unknownType(inTexts(stored[unknown]!)),
    }
  }
}

const linesOf = (events: readonly EventBytes[]): readonly Line[] => {
  let last: Readonly<{ meta: Buffer; workspaceId: WorkspaceId }> | undefined
  return events.map(({ position, created, stream, revision, type, id, data, meta }) => {
    // The events of one append follow each other in the log and most often have the same metadata.
    if (last === undefined || !meta.equals(last.meta)) last = { meta, workspaceId: workspaceIdIn(meta.toString()) }
    const { workspaceId } = last
    const at = { position: positionText(position), at: created }
    return { start: lineStart({ ...at, stream, revision, type, workspaceId, id, erased: null, ended: null }), data, meta }
  })
}

const inTwoBuffers = (): ((lines: readonly Line[]) => Buffer) => {
  let [next, other] = [Buffer.alloc(0), Buffer.alloc(0)]
  return (lines) => {
    const size = lines.reduce((sum, { start, data, meta }) => sum + start.length * BYTES_A_UNIT + data.length + meta.length, 0)
    const needed = size + lines.length * (MIDDLE.length + END.length)
    const bytes = next.length < needed ? Buffer.allocUnsafeSlow(needed) : next
    ;[next, other] = [other, bytes]
    let at = 0
    for (const { start, data, meta } of lines) {
      at += bytes.write(start, at)
      at += data.copy(bytes, at)
      at += MIDDLE.copy(bytes, at)
      at += meta.copy(bytes, at)
      at += END.copy(bytes, at)
    }
    return bytes.subarray(0, at)
  }
}

const [LF, CR] = [10, 13]

/** JSON may be spread over lines; Tidings writes none that is. For a page at once: for each text it costs four times as much. */
const areLines = (bytes: Buffer, count: number): boolean => {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1
  return lines === count && !bytes.includes(CR)
}

const joinedAsLines = (lines: readonly Line[]): Buffer =>
  Buffer.from(
    lines
      .map(({ start, data, meta }) => `${start}${oneLine(data.toString())}${BEFORE_META}${oneLine(meta.toString())}${LINE_END}`)
      .join(''),
  )

const inTexts = ({ data, meta, ...event }: EventBytes) => ({ ...event, data: data.toString(), meta: meta.toString() })
