/** The command was not carried out; the same command may succeed later. Answered as 503 with `Retry-After`. */
export class Busy extends Error {
  override readonly name = 'Busy'
  readonly retryable = true
  readonly retryAfterSeconds = 1
}

/** A stream holds an event of another workspace: a defect, never a caller's mistake. Nothing of it is shown or used. */
export class ForeignEvent extends Error {
  override readonly name = 'ForeignEvent'
  readonly retryable = false
  constructor(stream: string) {
    super(`stream ${stream} holds an event of another workspace`)
  }
}
