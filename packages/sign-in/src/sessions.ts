import { createHash, randomBytes } from 'node:crypto'
import type { StateLoader } from '@tidings/commands'
import {
  NIL_ID,
  type UserRole,
  type UserState,
  user,
  userStream,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { Pool } from 'pg'

/** The user of a session, as of now. `workspace`: null of a user of the installation, who is an operator. */
export type SignedInUser = Readonly<{
  workspace: Readonly<{ id: WorkspaceId; slug: string }> | null
  userId: string
  email: string
  role: UserRole
  isOperator: boolean
}>

/** Where a sign-in came from; null is not known. */
export type SignInOrigin = Readonly<{ ip: string | null; agent: string | null }>

/**
 * A user as they were when their password was checked, or the link that stands for it. `workspace`: null of a user of the installation. `isOperator`:
 * said by the link.
 */
type CheckedUser = Readonly<{
  workspaceId: WorkspaceId
  user: NonNullable<UserState>
  workspace: WorkspaceState | null
  isOperator?: boolean
  origin?: SignInOrigin
}>

export type Sessions = Readonly<{
  /** Begins a session and gives its token, which is stored hashed and cannot be shown again. */
  begin: (checked: CheckedUser) => Promise<string>
  /** The same, and the link is used: null where another request, in whatever process, has used it. */
  beginByLink: (checked: CheckedUser, linkHash: Buffer) => Promise<string | null>
  /** Null for a token of no session, and where the session is over. */
  find: (token: string) => Promise<SignedInUser | null>
  /** Ends it at once, over all processes. */
  end: (token: string) => Promise<void>
}>

type SessionRow = Readonly<{
  workspace_id: WorkspaceId
  user_id: string
  credential: Buffer
  suspensions: number
  operator: boolean
  stale: boolean
}>

/** Sessions of one user; one more ends the session that was unused for longest. */
const SESSIONS_A_USER = 50
/** A condition of a row of `ops.session`, by its alias and a dot. */
export function aliveSession(of = ''): string {
  return `${of}used_at > now() - interval '12 hours' and ${of}created_at > now() - interval '7 days'`
}

const OVER = `over as (
      delete from ops.session where token_hash = any (array(
        select token_hash from ops.session where workspace_id = $2 and user_id = $3 order by used_at desc, token_hash offset $7)))`
const INSERT = 'insert into ops.session (token_hash, workspace_id, user_id, credential, suspensions, operator, ip, agent, by_link)'
const BEGIN = { name: 'sign_in_begin_session', text: `with ${OVER} ${INSERT} values ($1, $2, $3, $4, $5, $6, $8, $9, false)` }
/** One statement: a link is used where its session begins, whichever process is killed. The second of two waits for the first and finds it used. */
const BEGIN_BY_LINK = {
  name: 'sign_in_begin_session_by_link',
  text: `with link as (
      update ops.sign_in_link set used_at = now() where token_hash = $10 and used_at is null and expires_at > now() returning token_hash), ${OVER}
    ${INSERT} select $1::bytea, $2::uuid, $3::uuid, $4::bytea, $5::int, $6::boolean, $8::text, $9::text, true from link`,
}
const FIND = {
  name: 'sign_in_find_session',
  text: `select workspace_id, user_id, credential, suspensions, operator, used_at < now() - interval '1 minute' as stale
    from ops.session where token_hash = $1 and ${aliveSession()}`,
}
const TOUCH = { name: 'sign_in_touch_session', text: 'update ops.session set used_at = now() where token_hash = $1' }
const END = { name: 'sign_in_end_session', text: 'delete from ops.session where token_hash = $1' }
const EXPIRE = `delete from ops.session where ctid = any (array(
  select ctid from ops.session where used_at <= now() - interval '12 hours' order by used_at limit $1 for update skip locked))`

const TOKEN = /^[A-Za-z0-9_-]{43}$/
/** The name of the row of a session. */
export function sessionHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** A session of the installation has this number, and no workspace has: a process of a version that knows no such sessions finds none. */
const NO_SUSPENSIONS = -1

/** The password that a session was begun with: each hash has a salt of its own, so a password that is set again is another one. */
export function credentialOf({ passwordHash }: Readonly<{ passwordHash: string }>): Buffer {
  return createHash('sha256').update(passwordHash).digest()
}

/** `localOperators`: a link of a workspace's user may have made an operator's session; else such a session is its user's alone. */
type SessionsParts = Readonly<{ pool: Pool; commands: StateLoader; localOperators?: boolean }>

/**
 * Sessions of users (M40): 12 h after the last use, 7 days at most. A row says who and since when; whether it still holds says the log, which
 * is read for every request: so a changed password, a removed user and a suspended workspace end it in every process with the event itself.
 */
export function createSessions({ pool, commands, localOperators = false }: SessionsParts): Sessions {
  const holder = async (row: SessionRow): Promise<SignedInUser | null> => {
    const { workspace_id: workspaceId, user_id: userId, credential, suspensions } = row
    const [person, tenant] = await Promise.all([
      commands.load({ decider: user, stream: userStream(workspaceId, userId), workspaceId }),
      commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId }),
    ])
    if (person.state === null || !credentialOf(person.state).equals(credential)) return null
    const { email, role } = person.state
    if (workspaceId === NIL_ID) return { workspace: null, userId, email, role, isOperator: true }
    if (tenant.state.status !== 'active' || tenant.state.suspensions !== suspensions) return null
    return { workspace: { id: workspaceId, slug: tenant.state.slug }, userId, email, role, isOperator: row.operator && localOperators }
  }
  const valuesOf = (token: string, { workspaceId, user: person, workspace: tenant, isOperator = false, origin }: CheckedUser) => [
    ...[sessionHash(token), workspaceId, person.userId, credentialOf(person)],
    ...[tenant?.suspensions ?? NO_SUSPENSIONS, isOperator, SESSIONS_A_USER - 1],
    ...[origin?.ip ?? null, origin?.agent ?? null],
  ]

  return {
    begin: async (checked) => {
      const token = randomBytes(32).toString('base64url')
      await pool.query({ ...BEGIN, values: valuesOf(token, checked) })
      return token
    },
    beginByLink: async (checked, linkHash) => {
      const token = randomBytes(32).toString('base64url')
      const { rowCount } = await pool.query({ ...BEGIN_BY_LINK, values: [...valuesOf(token, checked), linkHash] })
      return rowCount === 1 ? token : null
    },
    find: async (token) => {
      if (!TOKEN.test(token)) return null
      const values = [sessionHash(token)]
      const { rows } = await pool.query<SessionRow>({ ...FIND, values })
      const [row] = rows
      if (row === undefined) return null
      const found = await holder(row)
      // What ended does not come back.
      if (found === null) await pool.query({ ...END, values })
      else if (row.stale) await pool.query({ ...TOUCH, values })
      return found
    },
    end: async (token) => {
      if (TOKEN.test(token)) await pool.query({ ...END, values: [sessionHash(token)] })
    },
  }
}

/** Retention job: removes at most `limit` sessions that were not used for 12 hours. One of 7 days is used no more, so it is soon among them. */
export async function deleteOldSessions(pool: Pool, limit: number): Promise<number> {
  return (await pool.query(EXPIRE, [limit])).rowCount ?? 0
}
