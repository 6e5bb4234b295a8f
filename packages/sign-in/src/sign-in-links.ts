import { createHash, randomBytes } from 'node:crypto'
import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { credentialOf } from './sessions.ts'

/** `isOperator`: its session is an operator's as well (M71). */
type WantedLink = Readonly<{
  workspaceId: WorkspaceId
  user: Readonly<{ userId: string; passwordHash: string }>
  hours: number
  isOperator?: boolean
}>

/** `expiresAt`: ISO 8601, UTC. */
export type NewSignInLink = Readonly<{ token: string; expiresAt: string }>

/** What a link stands for, as it was when the link was made. */
export type StoredLink = Readonly<{ workspaceId: WorkspaceId; userId: string; credential: Buffer; isOperator: boolean }>

type LinkRow = Readonly<{ workspace_id: WorkspaceId; user_id: string; credential: Buffer; operator: boolean }>

/** How long a link signs in that invites a user, and one that somebody has made for a user again. */
export const LINK_HOURS = { invitation: 7 * 24, link: 1 } as const

/** Links of one user that are kept; one more ends the oldest. */
const LINKS_A_USER = 50

const MAKE = `with over as (
    delete from ops.sign_in_link where token_hash = any (array(
      select token_hash from ops.sign_in_link where workspace_id = $2 and user_id = $3 order by created_at desc, token_hash offset $7)))
  insert into ops.sign_in_link (token_hash, workspace_id, user_id, credential, operator, expires_at)
  values ($1, $2, $3, $4, $5, now() + $6 * interval '1 hour') returning expires_at`
const FIND = {
  name: 'sign_in_find_link',
  text: `select workspace_id, user_id, credential, operator from ops.sign_in_link
    where token_hash = $1 and used_at is null and expires_at > now()`,
}
const EXPIRE = `delete from ops.sign_in_link where ctid = any (array(
  select ctid from ops.sign_in_link where expires_at <= now() order by expires_at limit $1 for update skip locked))`

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The name of the row of a link; null for a text that is no token. */
export function linkHash(token: string): Buffer | null {
  return TOKEN.test(token) ? createHash('sha256').update(token).digest() : null
}

/** Makes a link and gives its token, which is stored hashed and cannot be shown again. */
export async function makeSignInLink(pool: Pool, { workspaceId, user, hours, isOperator = false }: WantedLink): Promise<NewSignInLink> {
  const token = randomBytes(32).toString('base64url')
  const values = [linkHash(token), workspaceId, user.userId, credentialOf(user), isOperator, hours, LINKS_A_USER - 1]
  const { rows } = await pool.query<{ expires_at: Date }>(MAKE, values)
  return { token, expiresAt: new Date(rows[0]?.expires_at ?? 0).toISOString() }
}

/** Null where the link was used, has expired or never was. */
export async function findLink(pool: Pool, hash: Buffer): Promise<StoredLink | null> {
  const [row] = (await pool.query<LinkRow>({ ...FIND, values: [hash] })).rows
  if (row === undefined) return null
  return { workspaceId: row.workspace_id, userId: row.user_id, credential: row.credential, isOperator: row.operator }
}

/** Ends a link that was given to no user. */
export async function endSignInLink(pool: Pool, { token }: Pick<NewSignInLink, 'token'>): Promise<void> {
  await pool.query('delete from ops.sign_in_link where token_hash = $1', [linkHash(token)])
}

/** The address that a person opens: the token stands behind `#`, so no server and no proxy sees it. */
export function signInLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/dashboard/link#${token}`
}

/** The same in a mail. The page waits for a press: what looks at the links of mails before people do, in a browser of its own, must not use it up. */
export function mailedLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/dashboard/link?mailed#${token}`
}

/** Retention job: removes at most `limit` links whose time is over. */
export async function deleteOldLinks(pool: Pool, limit: number): Promise<number> {
  return (await pool.query(EXPIRE, [limit])).rowCount ?? 0
}
