import { WrongExpectedRevision } from './errors.ts'
import { type Appended, type ExpectedRevision, type RecordedEvent, START } from './port.ts'

/** An append of nothing answers where the stream is (revision -1 and START without events), under the same expectation as any other. */
export function emptyAppend(stream: string, expected: ExpectedRevision, newest: readonly RecordedEvent[]): Appended {
  const last = newest[0]
  const fits =
    expected === 'any' ||
    (expected === 'no_stream' ? last === undefined : expected === 'stream_exists' ? last !== undefined : expected === last?.revision)
  if (!fits) throw new WrongExpectedRevision(stream, last?.revision ?? null)
  return { revision: last?.revision ?? -1, position: last?.position ?? START, duplicate: false }
}
