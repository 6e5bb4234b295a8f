import type { Position } from '../port.ts'

/**
 * The outcome of one attempt of an append. `refused`: the server decided against it and nothing was written. `denied`: nothing was
 * written, and a retry is useless until an operator acts. `unknown`: it may have been written; retry with the same event ids,
 * and `alone` where one of several was refused and it is not known which.
 */
export type AppendOutcome =
  | Readonly<{ kind: 'written'; revision: number; position: Position | undefined }>
  | Readonly<{ kind: 'wrong_revision'; current: number | null }>
  | Readonly<{ kind: 'deleted' }>
  | Readonly<{ kind: 'refused'; reason: string }>
  | Readonly<{ kind: 'denied'; reason: string }>
  | Readonly<{ kind: 'unknown'; reason: string; elsewhere?: boolean; alone?: boolean }>
