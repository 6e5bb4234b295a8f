import { Refused, type UserState, user, userStream, type WorkspaceId } from '@tidings/domain'
import { forWorkspace } from '@tidings/read-models'
import pLimit from 'p-limit'
import type { DashboardDependencies } from '../dependencies.ts'

export type KnownUser = NonNullable<UserState>
type People = Pick<DashboardDependencies, 'commands' | 'db' | 'pool'>
type Person = Readonly<{ workspaceId: WorkspaceId; userId: string }>

/** The user as of the log. */
export async function existingUser({ commands }: Pick<People, 'commands'>, { workspaceId, userId }: Person): Promise<KnownUser> {
  const { state } = await commands.load({ decider: user, stream: userStream(workspaceId, userId), workspaceId })
  if (state === null) throw new Refused('user_not_found')
  return state
}

/** One change of a process at a time: a change holds a connection while its command takes another. */
const oneAtATime = pLimit(1)

const LOCK = "select pg_try_advisory_xact_lock(hashtextextended('people ' || $1, 0)) as locked"

/**
 * Runs a change after which somebody else than this user is an owner of the workspace, whatever the change does to this one. It runs alone over all processes:
 * two owners who lower each other at the same moment would leave none. Refused with `people_changing` where another change is under way.
 */
export function leavingAnOwner<Result>(people: People, person: Person, change: () => Promise<Result>): Promise<Result> {
  return oneAtATime(async () => {
    const client = await people.pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<{ locked: boolean }>(LOCK, [person.workspaceId])
      if (!rows[0]?.locked) throw new Refused('people_changing')
      if (!(await hasAnotherOwner(people, person))) throw new Refused('owner_needed')
      return await change()
    } finally {
      await client.query('rollback').then(
        () => client.release(),
        (error: unknown) => client.release(error instanceof Error ? error : true),
      )
    }
  })
}

/** Owners of a workspace are few; which of those that the table names are one still says the log. */
const OWNERS = 100

const hasAnotherOwner = async ({ commands, db }: People, { workspaceId, userId }: Person): Promise<boolean> => {
  const named = forWorkspace(db, workspaceId).users().select('id').where('role', '=', 'owner').where('id', '!=', userId)
  const states = (await named.limit(OWNERS).execute()).map(({ id }) =>
    commands.load({ decider: user, stream: userStream(workspaceId, id), workspaceId }),
  )
  return (await Promise.all(states)).some(({ state }) => state?.role === 'owner')
}
