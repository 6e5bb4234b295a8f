import type { Log, LogRecord } from './log.ts'

type StreamMetadata = Readonly<{ $tb?: number; $maxCount?: number; $maxAge?: number }>

/** `$tb` of a soft-deleted stream: the largest int64, which no JSON number can hold exactly. */
export const SOFT_DELETED = '9223372036854775807'

/** The stream's metadata is the last event of `$$<stream>`. */
export function streamMetadata(log: Log, stream: string): StreamMetadata {
  const last = log.stream(`$$${stream}`).at(-1)
  return last === undefined ? {} : parse(last.data)
}

const parse = (data: Uint8Array): StreamMetadata => {
  const value: unknown = JSON.parse(Buffer.from(data).toString('utf8'))
  return typeof value === 'object' && value !== null ? value : {}
}

export function isSoftDeleted(log: Log, stream: string): boolean {
  return (streamMetadata(log, stream).$tb ?? 0) >= Number(SOFT_DELETED)
}

/** Undefined where a read answers "not found"; an existing stream whose events are all truncated reads as empty. */
export function visibleEvents(log: Log, stream: string, now: number): readonly LogRecord[] | undefined {
  const events = log.stream(stream)
  if (events.length === 0 || isSoftDeleted(log, stream)) return undefined
  const { $tb = 0, $maxCount, $maxAge } = streamMetadata(log, stream)
  const first = Math.max($tb, $maxCount === undefined ? 0 : events.length - $maxCount)
  const oldest = $maxAge === undefined ? 0n : BigInt(now - $maxAge * 1000) * 10_000n
  return events.filter((event) => event.revision >= first && event.created >= oldest)
}
