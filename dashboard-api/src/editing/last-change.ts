import type { Recorded } from '@tidings/codec'
import type { StoredEvent } from '@tidings/commands'
import type { WorkspaceId } from '@tidings/domain'
import { addressesOfUsers, forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import type { Editable } from './editable.ts'

type Sources = Pick<DashboardDependencies, 'db' | 'log'>

/** `by` changed the record: the address of a user, or how the log calls what is none. */
export type RecordChange = Readonly<{ by: string; at: string }>

const PAGE = 50

/** The last change of the record, from the end of its stream; null where there is none. */
export async function lastChange<C, E extends StoredEvent, S, R>(
  { db, log }: Sources,
  workspaceId: WorkspaceId,
  { stream, changes }: Pick<Editable<C, E, S, R>, 'stream' | 'changes'>,
): Promise<RecordChange | null> {
  const limit = changes === undefined ? 1 : PAGE
  for (let from: number | undefined; ; ) {
    const page = await log.readStream<Recorded<E>>(workspaceId, stream, {
      direction: 'backwards',
      limit,
      ...(from !== undefined && { from }),
    })
    const found = page.find((event) => changes?.(event) ?? true)
    if (found !== undefined) return { by: (await namesOfActors(db, workspaceId, [found.meta.actor]))(found.meta.actor), at: found.meta.at }
    const first = page.at(-1)
    if (first === undefined || first.revision === 0) return null
    from = first.revision - 1
  }
}

const USER = 'user:'
const OPERATOR = 'operator:'

/** The ids of those among the actors who are of this kind. */
const idsOf = (kind: string, actors: readonly string[]): readonly string[] => [
  ...new Set(actors.filter((actor) => actor.startsWith(kind)).map((actor) => actor.slice(kind.length))),
]

/** The address of each user among the actors; an operator has none here, and a user who was removed has none any more. */
export async function namesOfActors(
  db: DashboardDependencies['db'],
  workspaceId: WorkspaceId,
  actors: readonly string[],
): Promise<(actor: string) => string> {
  const ids = idsOf(USER, actors)
  const rows = ids.length === 0 ? [] : await forWorkspace(db, workspaceId).users().select(['id', 'email']).where('id', 'in', ids).execute()
  const known = new Map(rows.map(({ id, email }) => [`${USER}${id}`, email]))
  return (actor) => (actor.startsWith(OPERATOR) ? 'operator' : (known.get(actor) ?? actor))
}

/** The address of each operator among the actors: a user of the installation, or of a workspace whose link was an operator's as well. */
export async function namesOfOperators(db: DashboardDependencies['db'], actors: readonly string[]): Promise<(actor: string) => string> {
  const known = await addressesOfUsers(db, idsOf(OPERATOR, actors))
  return (actor) => known.get(actor.slice(OPERATOR.length)) ?? actor
}
