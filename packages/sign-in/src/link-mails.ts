import type { UserState, WorkspaceId } from '@tidings/domain'
import { admission, LINK_MAIL } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { credentialOf } from './sessions.ts'
import type { LINK_HOURS } from './sign-in-links.ts'

/** `invitation`: the user has no password yet. `link`: somebody asks for another link for them. */
type LinkReason = keyof typeof LINK_HOURS

/**
 * A mail that is to bring a user a link. It names none: the link is made when the mail is handed over. `mailId` is its Message-ID; `askedAt` is ISO 8601.
 * `credential`: of the password that the user had when the mail was asked for, in hex, as links themselves keep it.
 */
export type LinkMail = Readonly<{
  userId: string
  mailId: string
  reason: LinkReason
  language: 'en' | 'he'
  askedAt: string
  credential: string
}>

/** Why a link is not mailed, for somebody who can pass it on by hand. */
export const NOT_MAILED = {
  mail_stays_here: 'Mail does not leave this installation: pass the link on yourself',
  operator_address_missing: 'The installation has no address that its mail could come from: pass the link on yourself',
  link_mails_capped: 'The workspace has mailed fifty links in a day: pass the link on yourself, or make another tomorrow',
  mailbox_capped: 'The mailbox was sent ten such mails in a day: pass the link on yourself, or make another tomorrow',
} as const
export type NotMailed = keyof typeof NOT_MAILED

/** `obstacle`: why no mail leaves here; null where it does. `takeMailbox`: false where the mailbox was written to often enough today. */
type Mailing = Readonly<{ pool: Pool; obstacle: NotMailed | null; takeMailbox: (email: string) => Promise<boolean> }>
type LinkMailRequest = Readonly<{
  workspaceId: WorkspaceId
  user: NonNullable<UserState>
  mail: Omit<LinkMail, 'userId' | 'mailId' | 'credential'>
}>

const A_DAY = 50
// One statement, so that two processes cannot both take the last. A window opens with its first mail.
const TAKE = `insert into ops.link_mails as m values ($1, clock_timestamp() + interval '1 day', 1)
  on conflict (workspace_id) do update set
    ends = case when ops.is_open(m.ends, interval '1 day', clock_timestamp()) then m.ends else excluded.ends end,
    sent = case when ops.is_open(m.ends, interval '1 day', clock_timestamp()) then m.sent + 1 else 1 end
  where not ops.is_open(m.ends, interval '1 day', clock_timestamp()) or m.sent < $2`

/** Has a link of its own mailed to the user: null, or why not. What dies in between was counted, and not answered. */
export async function askForLinkMail(
  { pool, obstacle, takeMailbox }: Mailing,
  { workspaceId, user, mail }: LinkMailRequest,
): Promise<NotMailed | null> {
  if (obstacle !== null) return obstacle
  // The workspace first: one that has had its mails must not use up those of a mailbox.
  const { rowCount } = await pool.query({ name: 'take_link_mail', text: TAKE, values: [workspaceId, A_DAY] })
  if (rowCount !== 1) return 'link_mails_capped'
  if (!(await takeMailbox(user.email))) return 'mailbox_capped'
  const { reason, language, askedAt } = mail
  const payload = [user.userId, crypto.randomUUID(), reason, language, askedAt, credentialOf(user).toString('hex')].join(' ')
  const job = { workspaceId, lane: user.userId, seq: BigInt(Date.parse(askedAt)), payload }
  await transaction(pool, (tx) => admission(LINK_MAIL)(tx, [job]))
  return null
}

const PAYLOAD = /^(\S+) (\S+) (invitation|link) (en|he) (\S+) ([\da-f]{64})$/

/** The mail that a job is for; null for a payload of another version. */
export function linkMailIn(payload: string): LinkMail | null {
  const [, userId = '', mailId = '', reason, language, askedAt = '', credential = ''] = PAYLOAD.exec(payload) ?? []
  if (reason === undefined) return null
  const [why, words] = [reason === 'link' ? 'link' : 'invitation', language === 'he' ? 'he' : 'en'] as const
  return { userId, mailId, reason: why, language: words, askedAt, credential }
}
