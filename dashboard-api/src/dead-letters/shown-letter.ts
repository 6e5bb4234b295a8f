import type { ShownDeadLetter } from '@tidings/contracts'
import { INSTALLATION, Refused, type WorkspaceId } from '@tidings/domain'
import { type DeadLetter, SEND_KINDS, showDeadLetter } from '@tidings/jobs'
import type { DashboardDependencies } from '../dependencies.ts'

const SENDING: readonly string[] = Object.values(SEND_KINDS).flatMap((kinds) => Object.values(kinds))

/** A job that sends has the id of its message with it. */
export function shownLetter({ id, source, payload, ...letter }: DeadLetter): ShownDeadLetter {
  const { consumer, reference, errorClass, error, attempts, state, note } = letter
  return {
    ...{ id, source, consumer, reference },
    messageId: source === 'job' && SENDING.includes(consumer) ? payload : null,
    ...{ errorClass, error: withoutPeople(error), attempts, state, note },
    ...{ firstSeenAt: letter.firstSeenAt.toISOString(), lastSeenAt: letter.lastSeenAt.toISOString() },
  }
}

/** Sentences of libraries may quote what they choke on: an erasure does not look for a person there, and an address may have a login. */
function withoutPeople(error: string): string {
  return error
    .replaceAll(/(?<=:\/\/)[^/\s]*@/g, '[login]@')
    .replaceAll(/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+/gu, '[address]')
    .replaceAll(/\+\d{7,15}\b/g, '[number]')
}

type Sources = Pick<DashboardDependencies, 'pool'>

export async function letterOfId({ pool }: Sources, id: string): Promise<DeadLetter> {
  const letter = await showDeadLetter(pool, id)
  if (letter === null) throw new Refused('dead_letter_not_found')
  return letter
}

/** One of the workspace; those of none are the installation's. */
export async function existingLetter(sources: Sources, of: Readonly<{ workspaceId: WorkspaceId; id: string }>): Promise<DeadLetter> {
  const letter = await letterOfId(sources, of.id)
  if ((letter.workspaceId ?? INSTALLATION) !== of.workspaceId) throw new Refused('dead_letter_not_found')
  return letter
}
