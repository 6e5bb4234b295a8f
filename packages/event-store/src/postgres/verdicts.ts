import { EventIdConflict, type EventStoreError, StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import type { Appended } from '../port.ts'
import type { Group, Verdict } from './append-call.ts'

/** The answer of the port for one verdict of a batch. */
export function appendedOf(stream: string, { outcome, revision, position }: Verdict): Appended {
  if (revision !== null && position !== null)
    return { revision, position: { commit: position, prepare: 0n }, duplicate: outcome === 'duplicate' }
  throw refusalOf(stream, outcome, revision)
}

/** The answers for a group. Where it was not written, throws the refusal of the append that caused it. */
export function togetherOf(group: Group, verdicts: readonly Verdict[]): readonly Appended[] {
  const refused = verdicts.findIndex(({ position, outcome }) => position === null && outcome !== 'left out')
  if (refused >= 0) throw refusalOf(group[refused]!.stream, verdicts[refused]!.outcome, verdicts[refused]!.revision)
  return group.map(({ stream }, n) => appendedOf(stream, verdicts[n]!))
}

const refusalOf = (stream: string, outcome: Verdict['outcome'], revision: number | null): EventStoreError => {
  if (outcome === 'left out')
    return new EventIdConflict(`${stream} was not written: some appends of its group are repetitions, others are not`)
  if (outcome === 'deleted') return new StreamDeleted(`stream ${stream} is deleted`)
  if (outcome === 'conflict') return new EventIdConflict(`some event ids of the append to ${stream} are already used otherwise`)
  return new WrongExpectedRevision(stream, revision)
}
