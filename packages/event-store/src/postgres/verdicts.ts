import { EventIdConflict, type EventStoreError, StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import { type Appended, type ExpectedRevision, type RecordedEvent, START } from '../port.ts'
import type { Verdict } from './append-call.ts'

/** The answer of the port for one verdict of a batch. */
export const appendedOf = (stream: string, { outcome, revision, position }: Verdict): Appended => {
  if (revision !== null && position !== null)
    return { revision, position: { commit: position, prepare: 0n }, duplicate: outcome === 'duplicate' }
  throw refusalOf(stream, outcome, revision)
}

const refusalOf = (stream: string, outcome: Verdict['outcome'], revision: number | null): EventStoreError => {
  if (outcome === 'deleted') return new StreamDeleted(`stream ${stream} is deleted`)
  if (outcome === 'conflict') return new EventIdConflict(`some event ids of the append to ${stream} are already used otherwise`)
  return new WrongExpectedRevision(stream, revision)
}

/** An append of nothing answers where the stream is (revision -1 and START without events), under the same expectation as any other. */
export const emptyAppend = (stream: string, expected: ExpectedRevision, newest: readonly RecordedEvent[]): Appended => {
  const last = newest[0]
  const fits =
    expected === 'any' ||
    (expected === 'no_stream' ? last === undefined : expected === 'stream_exists' ? last !== undefined : expected === last?.revision)
  if (!fits) throw new WrongExpectedRevision(stream, last?.revision ?? null)
  return { revision: last?.revision ?? -1, position: last?.position ?? START, duplicate: false }
}
