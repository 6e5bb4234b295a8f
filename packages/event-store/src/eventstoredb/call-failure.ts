import { Metadata, status } from '@grpc/grpc-js'
import { type EventStoreError, InvalidAppend, LogWentBack, StreamDeleted, Unavailable } from '../errors.ts'
import type { AppendOutcome } from './outcome.ts'

/** Every error of a call, in the shape of gRPC; errors of other making count as UNKNOWN. */
type Failure = Readonly<{ code: number; details: string; exception: string; trailer: (key: string) => string }>

export function failureOf(error: unknown): Failure {
  const { code, details, metadata }: Record<string, unknown> = error instanceof Error ? { ...error } : {}
  const trailer = (key: string): string => (metadata instanceof Metadata ? String(metadata.get(key)[0] ?? '') : '')
  return {
    code: typeof code === 'number' ? code : status.UNKNOWN,
    details: inWords(typeof details === 'string' && details !== '' ? details : error instanceof Error ? error.message : String(error)),
    exception: trailer('exception'),
    trailer,
  }
}

/** grpc-js tells what lies below in a frame of its own words: "No connection established. Last error: Error: connect ECONNREFUSED …. Resolution note: ". */
const inWords = (details: string): string => /Last error: (?:Error: )?(.+?)\. Resolution note/.exec(details)?.[1] ?? details

/** Classifies a call that failed as a whole: the trailer `exception` decides, then the status code. */
export function failureOutcome(error: unknown): AppendOutcome {
  if (error instanceof LogWentBack) return { kind: 'denied', reason: error.message }
  const { code, details, exception, trailer } = failureOf(error)
  if (exception === 'stream-deleted') return { kind: 'deleted' }
  if (exception === 'wrong-expected-version') {
    const actual = trailer('actual-version')
    return { kind: 'wrong_revision', current: actual === '' || Number(actual) < 0 ? null : Number(actual) }
  }
  if (exception === 'access-denied' || code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED) {
    return { kind: 'denied', reason: `EventStoreDB denied access (${details}): check the user in the connection string` }
  }
  if (code === status.UNIMPLEMENTED)
    return { kind: 'denied', reason: 'this server has no batch append: EventStoreDB 21.10 or later is needed' }
  if (code === status.INVALID_ARGUMENT) return { kind: 'refused', reason: details }
  return { kind: 'unknown', reason: details }
}

/** A server's word for a message over its limit, of whichever make; RESOURCE_EXHAUSTED is also said of one that is overloaded. */
const TOO_LARGE = /larger than max|exceeds/i

/** Like `failureOutcome`, for a call of appends. */
export function appendFailure(error: unknown): AppendOutcome {
  const { code, details } = failureOf(error)
  if (code !== status.RESOURCE_EXHAUSTED || !TOO_LARGE.test(details)) return failureOutcome(error)
  return { kind: 'refused', reason: `the append is larger than EventStoreDB takes (${details})` }
}

/** The port's error for a failed read, and whether asking again may help. */
export function readFailure(what: string, error: unknown): Readonly<{ error: EventStoreError; again: boolean }> {
  if (error instanceof Unavailable) return { error, again: !(error instanceof LogWentBack) }
  const outcome = failureOutcome(error)
  if (outcome.kind === 'deleted') return { error: new StreamDeleted(`stream ${what} is tombstoned`), again: false }
  if (outcome.kind === 'refused') return { error: new InvalidAppend(outcome.reason), again: false }
  const reason = 'reason' in outcome ? outcome.reason : `reading ${what} failed`
  return { error: new Unavailable(reason, { cause: error }), again: outcome.kind === 'unknown' }
}
