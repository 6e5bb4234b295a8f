import type { StateLoader } from '@tidings/commands'
import { asMessageId, type UserState, user, userStream, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import type { Job, Lease, Verdict } from '@tidings/jobs'
import { DeliveryError, type SendOptions } from '@tidings/providers'
import { credentialOf, endSignInLink, LINK_HOURS, type LinkMail, linkMailIn, mailedLinkUrl, makeSignInLink } from '@tidings/sign-in'
import type { Pool } from 'pg'
import { GateClosed } from '../send/call-provider.ts'
import { NOT_WANTED, nameInMail, type OwnMails, sendOwnMail, WHILE_SUSPENDED } from '../send/send-own-mail.ts'
import { linkMailContent } from './link-mail.ts'

/** A mail that no try could bring to its mailbox, or that waited for too long. */
export type LostMail = Readonly<{ workspaceId: WorkspaceId; userId: string; reason: 'bounced' | 'refused' | 'unavailable' | 'waited' }>

type LinkMailing = OwnMails & Readonly<{ pool: Pool; commands: StateLoader; publicUrl: string; onLost: (lost: LostMail) => void }>

type Look = Readonly<{ type: 'Wanted'; mail: LinkMail; user: NonNullable<UserState>; name: string }>

const DAY_MS = 86_400_000
/** A mail that waited longer is dropped. */
const WANTED_MS: Readonly<Record<LinkMail['reason'], number>> = { invitation: 7 * DAY_MS, link: DAY_MS }

/**
 * Mails a user a link, where they are still a user, with the password that they had when it was asked for: a new one ends every link (M40). The link is
 * made when the mail is handed over: a mail that leaves twice, because its answer was lost, has two, and both sign in.
 */
export async function sendLinkMail(mailing: LinkMailing, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  const mail = linkMailIn(job.payload)
  if (mail === null) return 'done'
  const lose = (reason: LostMail['reason']) => mailing.onLost({ workspaceId: job.workspaceId, userId: mail.userId, reason })
  if (Date.parse(mailing.now()) - Date.parse(mail.askedAt) > WANTED_MS[mail.reason]) {
    lose('waited')
    return 'done'
  }
  const look = await lookAt(mailing, job, mail)
  if (look === 'done' || look.type === 'Deferred') return look
  const gate = async () => {
    const now = await lookAt(mailing, job, mail)
    if (now === 'done') return NOT_WANTED
    return now.type === 'Deferred' ? now : null
  }
  const send = (options: SendOptions) => withLink(mailing, { job, look }, options)
  const ended = await sendOwnMail(mailing, { job, lease, signal, gate, send })
  if (ended !== null && typeof ended !== 'string') return ended
  if (ended !== null && ended !== 'sent') lose(ended)
  return 'done'
}

/** The mail to send now, another time for it, or `done` if it is not wanted any more. */
const lookAt = async ({ commands }: LinkMailing, { workspaceId }: Job, mail: LinkMail): Promise<Verdict | Look> => {
  const [{ state: known }, { state: tenant }] = await Promise.all([
    commands.load({ decider: user, stream: userStream(workspaceId, mail.userId), workspaceId }),
    commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId }),
  ])
  if (known === null || tenant.status === 'closed') return 'done'
  if (credentialOf(known).toString('hex') !== mail.credential) return 'done'
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
