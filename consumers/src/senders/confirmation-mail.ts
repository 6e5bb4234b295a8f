import { escapeHtml, singleLine, type WorkspaceId } from '@tidings/domain'
import type { EmailMessage } from '@tidings/providers'

type ConfirmationMail = Readonly<{
  workspaceId: WorkspaceId
  confirmationId: string
  /** The operator's own address: none of the workspace's is proved before it, and its reputation is not the workspace's to use. */
  from: string
  to: string
  workspaceName: string
  url: string
}>

/** The mail that asks the mailbox of a sender address whether mail may come from it. The same at every attempt. */
export function confirmationMail({ workspaceId, confirmationId, from, to, workspaceName, url }: ConfirmationMail): EmailMessage {
  const name = oneLine(workspaceName)
  const says = `${name} wants to send email from ${to}.`
  return {
    workspaceId,
    messageId: confirmationId,
    requestId: confirmationId,
    from: { email: from, name: null },
    to,
    replyTo: null,
    subject: `Confirm ${to} as a sender address`,
    html: `<p>${escapeHtml(says)}</p>
<p><a href="${escapeHtml(url)}">Confirm the address</a></p>
<p>The link works for 7 days. If you did not expect this mail, do nothing: then no mail is sent from your address.</p>`,
    text: `${says}

Confirm the address: ${url}

The link works for 7 days. If you did not expect this mail, do nothing: then no mail is sent from your address.
`,
  }
}

const oneLine = (text: string): string => [...singleLine(text).trim()].slice(0, 100).join('')
