import type { ShownDeadLetter } from '@tidings/contracts'
import { Refused, type WorkspaceId } from '@tidings/domain'
import { type DeadLetter, SEND_KINDS, showDeadLetter } from '@tidings/jobs'
import type { DashboardDependencies } from '../dependencies.ts'

const SENDING: readonly string[] = Object.values(SEND_KINDS).flatMap((kinds) => Object.values(kinds))

/** A job that sends has the id of its message with it. Records of Kafka are of no workspace. */
export function shownLetter({ id, source, payload, ...letter }: DeadLetter): ShownDeadLetter {
  const { consumer, reference, errorClass, error, attempts, state, note } = letter
  return {
    ...{ id, source: source === 'job' ? 'job' : 'event', consumer, reference },
    messageId: source === 'job' && SENDING.includes(consumer) ? payload : null,
    ...{ errorClass, error: withoutPeople(error), attempts, state, note },
    ...{ firstSeenAt: letter.firstSeenAt.toISOString(), lastSeenAt: letter.lastSeenAt.toISOString() },
  }
}

/** Sentences of libraries may quote what they choke on: an erasure does not look for a person there. */
function withoutPeople(error: string): string {
  return error.replaceAll(/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+/gu, '[address]').replaceAll(/\+\d{7,15}\b/g, '[number]')
}

export async function existingLetter(
  { pool }: Pick<DashboardDependencies, 'pool'>,
  of: Readonly<{ workspaceId: WorkspaceId; id: string }>,
): Promise<DeadLetter> {
  const letter = await showDeadLetter(pool, of.id)
  if (letter === null || letter.workspaceId !== of.workspaceId) throw new Refused('dead_letter_not_found')
  return letter
}
