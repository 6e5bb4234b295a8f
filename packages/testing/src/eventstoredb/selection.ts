import type { LogRecord } from './log.ts'
import { streamName, type streams } from './protobuf.ts'
import { visibleEvents } from './retention.ts'
import type { ServerState } from './server-state.ts'

type ReadOptions = streams.ReadReq.Options

const FORWARDS = 0

/** The records that a read (not a subscription) asks for, in its order; undefined where the stream is not found. */
export function selectRecords(state: ServerState, options: ReadOptions): readonly LogRecord[] | undefined {
  const count = Number(options.getCount())
  if (!options.hasAll()) return selectStream(state, options)?.slice(0, count)
  // Unfiltered, a page costs what it holds: the log's last record is asked for all the time.
  if (!options.hasFilter()) return selectAll(state, options, count)
  return selectAll(state, options).filter(filterOf(options)).slice(0, count)
}

/** Positions of `$all` are inclusive forwards and exclusive backwards. */
const selectAll = ({ log, faults }: ServerState, options: ReadOptions, count = Number.POSITIVE_INFINITY): readonly LogRecord[] => {
  const all = options.getAll()
  const records = faults.behindBy > 0 ? log.all.slice(0, -faults.behindBy) : log.all
  const position = all?.getPosition()
  const from = position === undefined ? undefined : BigInt(position.getCommitPosition())
  if (options.getReadDirection() === FORWARDS) {
    if (all?.hasEnd() === true) return []
    const first = from === undefined ? 0 : firstFrom(records, from)
    return records.slice(first, first + count)
  }
  if (all?.hasStart() === true) return []
  const end = from === undefined ? records.length : firstFrom(records, from)
  return records.slice(Math.max(0, end - count), end).toReversed()
}

const selectStream = (state: ServerState, options: ReadOptions): readonly LogRecord[] | undefined => {
  const stream = options.getStream()
  const events = visibleEvents(state.log, streamName(stream?.getStreamIdentifier()), state.now())
  if (events === undefined) return undefined
  const revision = stream?.hasRevision() === true ? Number(stream.getRevision()) : undefined
  if (options.getReadDirection() === FORWARDS) {
    const from = stream?.hasEnd() === true ? Number.MAX_SAFE_INTEGER : (revision ?? 0)
    return events.filter((event) => event.revision >= from)
  }
  const from = stream?.hasStart() === true ? 0 : (revision ?? Number.MAX_SAFE_INTEGER)
  return events.filter((event) => event.revision <= from).toReversed()
}

/** Index of the first record at or after a position. */
export function firstFrom(records: readonly LogRecord[], position: bigint): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (records[middle]!.position < position) low = middle + 1
    else high = middle
  }
  return low
}

export function filterOf(options: ReadOptions): (record: LogRecord) => boolean {
  const filter = options.getFilter()
  if (filter === undefined) return () => true
  const byType = filter.getEventType()
  const expression = byType ?? filter.getStreamIdentifier()
  const regex = expression?.getRegex() ?? ''
  const pattern = regex === '' ? undefined : new RegExp(regex)
  const prefixes = expression?.getPrefixList() ?? []
  return (record) => {
    const value = byType === undefined ? record.stream : record.type
    return pattern?.test(value) ?? prefixes.some((prefix) => value.startsWith(prefix))
  }
}
