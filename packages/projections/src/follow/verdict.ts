/**
 * `poison`: some event of the batch can never be applied. `fenced`: another process owns it. `fatal`: see `ProjectionStopped`; also an
 * event type that this build does not know, a missing table. `again`: everything else, for as long as it takes.
 */
export type Verdict = 'poison' | 'again' | 'fenced' | 'fatal'
