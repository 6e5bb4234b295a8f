import type { Pool } from 'pg'
import { aliveSession, sessionHash } from './sessions.ts'

/** A session of the user, as they are shown it. `isThis`: it is the one that asks. Times are ISO 8601, UTC. */
type OwnSession = Readonly<{
  id: string
  createdAt: string
  usedAt: string
  ip: string | null
  agent: string | null
  isThis: boolean
}>

type ListedRow = Readonly<{ id: string; created_at: Date; used_at: Date; ip: string | null; agent: string | null; is_this: boolean }>

/** What a user sees and ends of their own sessions. Each names the session that asks by its token, and reaches those of its user alone. */
export type OwnSessions = Readonly<{
  /** Those that hold still, the last used first. */
  list: (token: string) => Promise<readonly OwnSession[]>
  /** Whether the session was begun by a link less than an hour ago: the link stands for the password meanwhile. */
  cameByLink: (token: string) => Promise<boolean>
  /** False where the user has no such session. */
  end: (token: string, id: string) => Promise<boolean>
  endOthers: (token: string) => Promise<void>
}>

/** One that was begun with another password, or before the workspace stopped, is over. */
const LIST = {
  name: 'sign_in_list_sessions',
  text: `select s.id, s.created_at, s.used_at, s.ip, s.agent, s.token_hash = t.token_hash as is_this
    from ops.session t join ops.session s
      on s.workspace_id = t.workspace_id and s.user_id = t.user_id and s.credential = t.credential and s.suspensions = t.suspensions
    where t.token_hash = $1 and ${aliveSession('s.')} order by s.used_at desc, s.id`,
}
const BY_LINK = {
  name: 'sign_in_session_by_link',
  text: `select from ops.session where token_hash = $1 and by_link and created_at > now() - interval '1 hour'`,
}
const OF_SAME_USER =
  'delete from ops.session s using ops.session t where t.token_hash = $1 and s.workspace_id = t.workspace_id and s.user_id = t.user_id'
const END_ONE = { name: 'sign_in_end_own_session', text: `${OF_SAME_USER} and s.id = $2` }
const END_OTHERS = { name: 'sign_in_end_other_sessions', text: `${OF_SAME_USER} and s.token_hash <> t.token_hash` }

export function createOwnSessions(pool: Pool): OwnSessions {
  return {
    list: async (token) => {
      const { rows } = await pool.query<ListedRow>({ ...LIST, values: [sessionHash(token)] })
      return rows.map(({ id, created_at, used_at, ip, agent, is_this: isThis }) => ({
        ...{ id, createdAt: created_at.toISOString(), usedAt: used_at.toISOString() },
        ...{ ip, agent, isThis },
      }))
    },
    cameByLink: async (token) => (await pool.query({ ...BY_LINK, values: [sessionHash(token)] })).rowCount === 1,
    end: async (token, id) => (await pool.query({ ...END_ONE, values: [sessionHash(token), id] })).rowCount === 1,
    endOthers: async (token) => {
      await pool.query({ ...END_OTHERS, values: [sessionHash(token)] })
    },
  }
}
