import type { Log } from './log.ts'
import { isSoftDeleted } from './retention.ts'

/** The expected revision on the wire: a number, or one of the three special values. */
export type Expected = number | 'no_stream' | 'any' | 'stream_exists'

export type Verdict =
  | Readonly<{ kind: 'ok'; current: number; undelete: boolean }>
  /** Every event is there already; nothing is written and the answer is the first one's. */
  | Readonly<{ kind: 'idempotent'; last: number }>
  | Readonly<{ kind: 'wrong'; current: number }>
  | Readonly<{ kind: 'deleted' }>

/**
 * Decides an append as EventStoreDB 23.10's index writer does, idempotence included: with an exact revision an event counts as known
 * only at the revision it would get; with `any` and `stream_exists` its id in the stream is enough. Ids of which only some are known
 * answer a wrong revision.
 */
export function checkCommit(log: Log, stream: string, expected: Expected, ids: readonly string[]): Verdict {
  if (log.isTombstoned(stream)) return { kind: 'deleted' }
  const current = log.stream(stream).length - 1
  const undelete = isSoftDeleted(log, stream)
  if (expected === 'any' || expected === 'stream_exists') {
    if (expected === 'stream_exists') {
      if (undelete) return { kind: 'deleted' }
      if (current < 0 && log.stream(`$$${stream}`).length === 0) return { kind: 'wrong', current }
    }
    return anywhere(log, stream, ids) ?? { kind: 'ok', current, undelete }
  }
  const revision = expected === 'no_stream' ? -1 : expected
  if (revision > current) return { kind: 'wrong', current }
  if (revision === current) return { kind: 'ok', current, undelete }
  return (
    inPlace(log, stream, ids, revision) ??
    (expected === 'no_stream' && undelete ? { kind: 'ok', current, undelete } : { kind: 'wrong', current })
  )
}

const anywhere = (log: Log, stream: string, ids: readonly string[]): Verdict | undefined => {
  const known = ids.map((id) => log.byId(id)).map((record) => (record?.stream === stream ? record : undefined))
  const last = known.at(-1)
  if (known[0] === undefined) return undefined
  if (last === undefined || known.includes(undefined)) return { kind: 'wrong', current: log.stream(stream).length - 1 }
  return { kind: 'idempotent', last: last.revision }
}

/** Undefined when the first event is unknown at its place: then nothing was repeated at all. */
const inPlace = (log: Log, stream: string, ids: readonly string[], revision: number): Verdict | undefined => {
  const events = log.stream(stream)
  const matches = ids.map((id, index) => events[revision + 1 + index]?.id === id)
  if (matches[0] !== true) return undefined
  return matches.includes(false) ? { kind: 'wrong', current: events.length - 1 } : { kind: 'idempotent', last: revision + ids.length }
}
