import { EventStoreError, type Position } from '@tidings/event-store'

type Place = Readonly<{ stream: string; position: Position | null }>

const at = (place: Place): string =>
  place.position ? `at position ${place.position.commit}/${place.position.prepare} of the log (${place.stream})` : `for ${place.stream}`

/** An event of a type or schema version that this build does not know: a reader must stop, not skip. `position` is null on the way in. */
export class UnknownEventType extends EventStoreError {
  override readonly name = 'UnknownEventType'
  readonly retryable = false
  readonly type: string
  readonly position: Position | null
  constructor(type: string, place: Place) {
    super(`this build does not know the event ${type} ${at(place)}; a newer one wrote it`)
    this.type = type
    this.position = place.position
  }
}

/** A stored event that is not what was written: broken JSON, or a sealed blob that was changed or moved. */
export class CorruptEvent extends EventStoreError {
  override readonly name = 'CorruptEvent'
  readonly retryable = false
  readonly stream: string
  readonly position: Position
  constructor(place: Readonly<{ stream: string; position: Position }>, cause: unknown) {
    super(`the event ${at(place)} cannot be decoded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.stream = place.stream
    this.position = place.position
  }
}

/** The subject was erased: nothing personal can be written about it any more. Nothing was written. */
export class SubjectErased extends EventStoreError {
  override readonly name = 'SubjectErased'
  readonly retryable = false
  readonly workspaceId: string
  readonly subject: string
  constructor(workspaceId: string, subject: string) {
    super(`${subject} was erased`)
    this.workspaceId = workspaceId
    this.subject = subject
  }
}

/** The key that was given is not one this database was written under. The service must not start. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
}
