/** Every failure of a store says whether the same call can succeed later. */
export abstract class EventStoreError extends Error {
  abstract readonly retryable: boolean
}

/** Nothing was written: the stream is not where the writer thought. `current` is null for a stream without events. */
export class WrongExpectedRevision extends EventStoreError {
  override readonly name = 'WrongExpectedRevision'
  readonly retryable = false
  readonly stream: string
  readonly current: number | null
  constructor(stream: string, current: number | null) {
    super(`stream ${stream} is at revision ${current ?? 'none'}`)
    this.stream = stream
    this.current = current
  }
}

/** Some of the event ids are known, under other circumstances: the caller reused ids. Nothing was written. */
export class EventIdConflict extends EventStoreError {
  override readonly name = 'EventIdConflict'
  readonly retryable = false
}

export class StreamDeleted extends EventStoreError {
  override readonly name = 'StreamDeleted'
  readonly retryable = false
}

/** The append itself is not acceptable (name, size, revision, characters); its neighbours in the batch are untouched. */
export class InvalidAppend extends EventStoreError {
  override readonly name = 'InvalidAppend'
  readonly retryable = false
}

/** The outcome is unknown, or nothing could be asked. Repeat with the same event ids. */
export class Unavailable extends EventStoreError {
  override readonly name: string = 'Unavailable'
  readonly retryable = true
}

/**
 * The log ends before what was seen of it, or holds another event there: it was restored, wiped, or is another server's. Nothing is read
 * from it and nothing appended to it until it is again the log that was seen.
 */
export class LogWentBack extends Unavailable {
  override readonly name = 'LogWentBack'
}
