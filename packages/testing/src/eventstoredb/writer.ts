import { checkCommit, type Expected, type Verdict } from './commit-check.ts'
import type { Log, Proposed } from './log.ts'
import { isSoftDeleted, SOFT_DELETED, streamMetadata, visibleEvents } from './retention.ts'

export type Written =
  | Readonly<{ kind: 'written'; revision: number; position: bigint | undefined }>
  | Readonly<{ kind: 'wrong'; current: number }>
  | Readonly<{ kind: 'deleted' }>

/** An append as the server's single writer does it: checked and written in one step. */
export function append(log: Log, stream: string, expected: Expected, events: readonly Proposed[]): Written {
  const verdict = checkCommit(
    log,
    stream,
    expected,
    events.map((event) => event.id),
  )
  if (verdict.kind === 'wrong' || verdict.kind === 'deleted') return verdict
  if (verdict.kind === 'idempotent') return { kind: 'written', revision: verdict.last, position: positionOf(log, stream, verdict.last) }
  const original = stream.startsWith('$$') ? stream.slice(2) : undefined
  const revive = original !== undefined && isSoftDeleted(log, original)
  const position = log.commit(stream, events)
  if (revive) undelete(log, original, log.stream(original).length)
  if (verdict.undelete) undelete(log, stream, verdict.current + 1)
  return { kind: 'written', revision: verdict.current + events.length, position }
}

/** Soft delete: a metadata event that truncates before the end of time. A stream that never was cannot be deleted. */
export function softDelete(log: Log, stream: string, expected: Expected): Verdict {
  const verdict = checkCommit(log, stream, expected, [crypto.randomUUID()])
  if (verdict.kind !== 'ok') return verdict
  if (verdict.current < 0 && log.stream(`$$${stream}`).length === 0) return { kind: 'wrong', current: -1 }
  writeMetadata(log, stream, `{"$tb":${SOFT_DELETED}}`)
  return verdict
}

export function tombstone(log: Log, stream: string, expected: Expected): Verdict {
  const verdict = checkCommit(log, stream, expected, [crypto.randomUUID()])
  if (verdict.kind === 'ok') log.tombstone(stream)
  return verdict
}

/** The server looks the first answer's position up by reading the event: deleted and truncated ones have none. */
const positionOf = (log: Log, stream: string, revision: number): bigint | undefined =>
  visibleEvents(log, stream, Date.now())?.find((event) => event.revision === revision)?.position

/** Writing to a soft-deleted stream, or to its metadata, brings it back with its numbering, the old events staying hidden. */
const undelete = (log: Log, stream: string, from: number): void =>
  writeMetadata(log, stream, JSON.stringify({ ...streamMetadata(log, stream), $tb: from }))

const writeMetadata = (log: Log, stream: string, json: string): void => {
  const event = { id: crypto.randomUUID(), type: '$metadata', contentType: 'application/json', metadata: new Uint8Array() }
  log.commit(`$$${stream}`, [{ ...event, data: Buffer.from(json) }])
}
