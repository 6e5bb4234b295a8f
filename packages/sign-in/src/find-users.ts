import { emailKey, normalizeEmail } from '@tidings/addresses'
import { uuidv5 } from '@tidings/codec'
import { type UserState, user, userStream, type WorkspaceId } from '@tidings/domain'

type UserLoading = Readonly<{ decider: typeof user; stream: string; workspaceId: WorkspaceId }>
type LoadUser = (loading: UserLoading) => Promise<UserState>
type Searched = Readonly<{ workspaceId: WorkspaceId; email: string }>

/** `state`: null where the address is no user; then it becomes one under this id. */
export type FoundUser = Readonly<{ userId: string; stream: string; state: UserState }>

/** Every user that has the address: one, but for a log from before M46, which may have one of each spelling. */
export async function findUsers(load: LoadUser, searched: Searched): Promise<readonly FoundUser[]> {
  const { workspaceId, email } = searched
  const all = userIdsOf(workspaceId, email).map(async (userId): Promise<FoundUser> => {
    const stream = userStream(workspaceId, userId)
    return { userId, stream, state: await load({ decider: user, stream, workspaceId }) }
  })
  return (await Promise.all(all)).filter(({ state }) => state !== null)
}

/** The user that has the address, under the id of an older spelling where only that is known; the newest form wins. */
export async function findUser(load: LoadUser, searched: Searched): Promise<FoundUser> {
  const [found] = await findUsers(load, searched)
  const [userId] = userIdsOf(searched.workspaceId, searched.email)
  return found ?? { userId, stream: userStream(searched.workspaceId, userId), state: null }
}

const idOf = (workspaceId: WorkspaceId, written: string): string => uuidv5(`user:${written}`, workspaceId)

/** An address is one user of a workspace, however it is spelled (M46): the id comes from both. Ids are stored for ever, so this never changes. */
export function userIdOf(workspaceId: WorkspaceId, email: string): string {
  return idOf(workspaceId, emailKey(email))
}

/** The id, and those that a log from before M46 may have for the address, with its domain as it was written. */
function userIdsOf(workspaceId: WorkspaceId, email: string): readonly [string, ...string[]] {
  const stored = normalizeEmail(email)
  const written = [stored, stored.normalize('NFD'), email.trim().toLowerCase()]
  const own = userIdOf(workspaceId, email)
  return [own, ...new Set(written.map((form) => idOf(workspaceId, form)).filter((id) => id !== own))]
}
