/**
 * `poison`: some event of the batch can never be applied. `fenced`: another process owns it. `fatal`: see `ProjectionStopped`; also an
 * event type that this build does not know, and a missing table. `again`: every other error, which is retried without end.
 */
export type Verdict = 'poison' | 'again' | 'fenced' | 'fatal'
