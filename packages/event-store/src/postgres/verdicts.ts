import { EventIdConflict, type EventStoreError, StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import type { Appended } from '../port.ts'
import type { Verdict } from './append-call.ts'

/** The answer of the port for one verdict of a batch. */
export const appendedOf = (stream: string, { outcome, revision, position }: Verdict): Appended => {
  if (revision !== null && position !== null)
    return { revision, position: { commit: position, prepare: 0n }, duplicate: outcome === 'duplicate' }
  throw refusalOf(stream, outcome, revision)
}

const refusalOf = (stream: string, outcome: Verdict['outcome'], revision: number | null): EventStoreError => {
  if (outcome === 'deleted') return new StreamDeleted(`stream ${stream} is deleted`)
  if (outcome === 'conflict') return new EventIdConflict(`some event ids of the append to ${stream} are already used otherwise`)
  return new WrongExpectedRevision(stream, revision)
}
