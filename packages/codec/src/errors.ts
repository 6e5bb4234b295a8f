import type { WorkspaceId } from '@tidings/domain'
import { EventStoreError, type Position } from '@tidings/event-store'

type EventPosition = Readonly<{ stream: string; position: Position | null }>

const at = (position: EventPosition): string =>
  position.position
    ? `at position ${position.position.commit}/${position.position.prepare} of the log (${position.stream})`
    : `for ${position.stream}`

/**
 * What this build does not know: the type, where `version` is null; else only the schema version, or the format of the sealed fields.
 * `ours`: Tidings wrote the event, so a newer build did. A log may hold events of other products beside ours.
 */
export type Unknown = Readonly<{ type: string; version: number | null; sealFormat?: number | string; ours: boolean }>

const nameOf = ({ type, version, sealFormat }: Unknown): string =>
  sealFormat !== undefined ? `${type} sealed in format ${sealFormat}` : version === null ? type : `${type} version ${version}`

/**
 * An event that this build does not know: a reader must stop, not skip. `position` is null on the way in. A refused event can be read by a
 * newer process, so the same call may succeed there: `retryable`.
 */
export class UnknownEventType extends EventStoreError {
  override readonly name = 'UnknownEventType'
  readonly retryable: boolean
  readonly type: string
  readonly version: number | null
  readonly ours: boolean
  readonly position: Position | null
  constructor(unknown: Unknown, position: EventPosition) {
    super(`this build does not know the event ${nameOf(unknown)} ${at(position)}${unknown.ours ? '; a newer one wrote it' : ''}`)
    this.type = unknown.type
    this.version = unknown.version
    this.ours = unknown.ours
    this.position = position.position
    this.retryable = unknown.ours && position.position !== null
  }
}

/** The personal fields are sealed as a newer build does it. */
export class UnknownSealFormat extends Error {
  override readonly name = 'UnknownSealFormat'
  readonly format: number | string
  constructor(format: number | string) {
    super(`unknown format ${format} of the sealed fields`)
    this.format = format
  }
}

/** A stored event that is not what was written: broken JSON, or a sealed blob that was changed or moved. */
export class CorruptEvent extends EventStoreError {
  override readonly name = 'CorruptEvent'
  readonly retryable = false
  readonly stream: string
  readonly position: Position
  constructor(position: Readonly<{ stream: string; position: Position }>, cause: unknown) {
    super(`the event ${at(position)} cannot be decoded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.stream = position.stream
    this.position = position.position
  }
}

/** A stream holds an event of another workspace: a defect, never a caller's mistake. Nothing of the stream is shown or used. */
export class ForeignEvent extends EventStoreError {
  override readonly name = 'ForeignEvent'
  readonly retryable = false
  constructor(stream: string) {
    super(`stream ${stream} holds an event of another workspace`)
  }
}

/** The subject was erased: nothing personal can be written about it any more. Nothing was written. */
export class SubjectErased extends EventStoreError {
  override readonly name = 'SubjectErased'
  readonly retryable = false
  readonly workspaceId: WorkspaceId
  readonly subject: string
  constructor(workspaceId: WorkspaceId, subject: string) {
    super(`${subject} was erased`)
    this.workspaceId = workspaceId
    this.subject = subject
  }
}

const NOT_FROM_ONE_MOMENT =
  'the database and the event log are not of one moment: the database, or its schema keys, was restored from a copy that is older than the log. ' +
  'Restore both from one backup, or put back the rows of keys.subject_key that are missing; this is no erasure, which leaves a row behind'

/** The log has sealed data of a subject whose key is missing, and no erasure took the key. A reader must stop, a writer must not make another key. */
export class SubjectKeyMissing extends EventStoreError {
  override readonly name = 'SubjectKeyMissing'
  readonly retryable = false
  readonly workspaceId: WorkspaceId
  readonly subject: string
  readonly position: Position | null
  constructor({ workspaceId, subject }: Readonly<{ workspaceId: WorkspaceId; subject: string }>, position?: EventPosition) {
    const sealed = position === undefined ? 'what the log holds about it' : `the event ${at(position)}`
    super(`the key of ${subject} of workspace ${workspaceId} is missing, and ${sealed} is sealed under it: ${NOT_FROM_ONE_MOMENT}`)
    this.workspaceId = workspaceId
    this.subject = subject
    this.position = position?.position ?? null
  }
}

/**
 * The key that was given is not one this database was written under. The service must not start. Where it runs already, the key was replaced
 * and it did not hear of it: another process can do what it cannot, so the same call may succeed there.
 */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
  readonly retryable = true
}
