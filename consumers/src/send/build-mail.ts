import type { Recorded } from '@tidings/codec'
import type { EmailAccepted, EmailContent, MergedContent, WorkspaceId } from '@tidings/domain'
import { type EmailTexts, joinedEmail, type Links, textOfHtml } from '@tidings/mail-content'
import type { DkimKey, EmailMessage, Subscription } from '@tidings/providers'

export type MakingLinks = Readonly<{
  links: Pick<Links, 'track' | 'trackMerged' | 'unsubscribeUrl'>
  workspaces: Readonly<{
    tracks: (workspaceId: WorkspaceId) => boolean | Promise<boolean>
    dkimKey: (workspaceId: WorkspaceId, domain: string) => DkimKey | null | Promise<DkimKey | null>
  }>
}>

/** What a mail says: complete, or as it was merged into the texts of its template. */
export type MailContent = EmailContent | Readonly<{ merged: MergedContent; texts: EmailTexts }>

/**
 * The mail that the provider gets. Links and pixel are put into marketing and template mail, and into manual html where the workspace turned
 * tracking on (M5); marketing mail says how to unsubscribe (M4). It is signed where its domain has a key in
 * use (M26). The same at every attempt, unless the key was replaced between two; the plain text stays as it was written.
 */
export async function buildMail(
  { links, workspaces }: MakingLinks,
  accepted: Recorded<EmailAccepted>,
  content: MailContent,
): Promise<EmailMessage> {
  const { meta, data } = accepted
  const { workspaceId } = meta
  const dkim = await workspaces.dkimKey(workspaceId, data.fromEmail.slice(data.fromEmail.lastIndexOf('@') + 1))
  const mail = {
    ...toMessage(accepted, 'merged' in content ? joinedEmail(content.merged, content.texts) : content),
    ...(dkim !== null && { dkim }),
  }
  const isMarketing = data.kind === 'marketing'
  const tracked = isMarketing || data.templateId !== null || (await workspaces.tracks(workspaceId))
  if (!tracked) return mail
  const of = { workspaceId, messageId: data.messageId }
  return {
    ...mail,
    ...('merged' in content
      ? links.trackMerged(content.merged, content.texts, of)
      : { html: links.track(content.html, of), text: content.text ?? textOfHtml(content.html) }),
    ...(isMarketing && { subscription: subscriptionOf(data, links.unsubscribeUrl({ ...of, contactId: data.contactId })) }),
  }
}

const subscriptionOf = ({ campaign, templateId }: EmailAccepted['data'], unsubscribeUrl: string): Subscription => ({
  unsubscribeUrl,
  sentBy: campaign === undefined ? { kind: 'template', id: templateId } : { kind: 'campaign', id: campaign.campaignId },
})

const toMessage = ({ meta, data }: Recorded<EmailAccepted>, content: EmailContent): EmailMessage => ({
  workspaceId: meta.workspaceId,
  messageId: data.messageId,
  requestId: meta.requestId,
  from: { email: data.fromEmail, name: data.fromName },
  to: data.to,
  replyTo: data.replyTo,
  subject: content.subject,
  html: content.html,
  text: content.text,
})
