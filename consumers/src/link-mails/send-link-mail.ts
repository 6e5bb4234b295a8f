import type { StateLoader } from '@tidings/commands'
import { asMessageId, type UserState, user, userStream, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import type { Job, Lease, Verdict } from '@tidings/jobs'
import { DeliveryError, type SendOptions } from '@tidings/providers'
import { endSignInLink, hasPassword, LINK_HOURS, type LinkMail, linkMailIn, mailedLinkUrl, makeSignInLink } from '@tidings/sign-in'
import type { Pool } from 'pg'
import { GateClosed } from '../send/call-provider.ts'
import { NOT_WANTED, nameInMail, type OwnMails, sendOwnMail, WHILE_SUSPENDED } from '../send/send-own-mail.ts'
import { linkMailContent } from './link-mail.ts'

/** A mail that no try could bring to its mailbox. */
export type LostMail = Readonly<{ workspaceId: WorkspaceId; userId: string; reason: 'bounced' | 'refused' | 'unavailable' }>

type LinkMailing = OwnMails & Readonly<{ pool: Pool; commands: StateLoader; publicUrl: string; onLost: (lost: LostMail) => void }>

type Look = Readonly<{ type: 'Wanted'; mail: LinkMail; user: NonNullable<UserState>; name: string }>

/** A mail that waited longer is dropped. */
const WANTED_MS = 7 * 86_400_000

/**
 * Mails a user a link, where they are still a user and, if they were invited, have not come yet. The link is made when the mail is handed over: a mail
 * that leaves twice, because its answer was lost, has two, and both sign in.
 */
export async function sendLinkMail(mailing: LinkMailing, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  const look = await lookAt(mailing, job)
  if (look === 'done' || look.type === 'Deferred') return look
  const gate = async () => {
    const now = await lookAt(mailing, job)
    if (now === 'done' || (now.type === 'Wanted' && now.user.passwordHash !== look.user.passwordHash)) return NOT_WANTED
    return now.type === 'Deferred' ? now : null
  }
  const send = (options: SendOptions) => withLink(mailing, { job, look }, options)
  const ended = await sendOwnMail(mailing, { job, lease, signal, gate, send })
  if (ended !== null && typeof ended !== 'string') return ended
  if (ended !== null && ended !== 'sent') mailing.onLost({ workspaceId: job.workspaceId, userId: look.mail.userId, reason: ended })
  return 'done'
}

/** The mail to send now, another time for it, or `done` if it is not wanted any more. */
const lookAt = async ({ commands, now }: LinkMailing, { workspaceId, payload }: Job): Promise<Verdict | Look> => {
  const mail = linkMailIn(payload)
  if (mail === null || Date.parse(now()) - Date.parse(mail.askedAt) > WANTED_MS) return 'done'
  const [{ state: known }, { state: tenant }] = await Promise.all([
    commands.load({ decider: user, stream: userStream(workspaceId, mail.userId), workspaceId }),
    commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId }),
  ])
  if (known === null || tenant.status === 'closed') return 'done'
  if (mail.reason === 'invitation' && hasPassword(known.passwordHash)) return 'done'
  return tenant.status === 'suspended' ? WHILE_SUSPENDED : { type: 'Wanted', mail, user: known, name: nameInMail(tenant.settings.name) }
}

type Attempt = Readonly<{ job: Job; look: Look }>

/** A link whose mail surely stayed here is ended: tries without number would push out the links that people have. */
const withLink = async (mailing: LinkMailing, { job: { workspaceId }, look }: Attempt, options: SendOptions): Promise<void> => {
  const { pool, provider, from, publicUrl } = mailing
  const { mail, user: known, name } = look
  const link = await makeSignInLink(pool, { workspaceId, user: known, hours: LINK_HOURS[mail.reason] })
  const content = linkMailContent(mail, { name, email: known.email, url: mailedLinkUrl(publicUrl, link.token) })
  const [messageId, to] = [asMessageId(mail.mailId), known.email]
  try {
    await provider.send(
      { ...{ workspaceId, messageId, to, ...content }, requestId: mail.mailId, from: { email: from, name: null }, replyTo: null },
      options,
    )
  } catch (error) {
    const stayed = error instanceof GateClosed || (error instanceof DeliveryError && error.failure !== 'unconfirmed')
    if (stayed) await endSignInLink(pool, link)
    throw error
  }
}
