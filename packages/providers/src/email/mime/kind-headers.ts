import type { WorkspaceId } from '@tidings/domain'
import { uuidToBase36 } from '../base36.ts'
import type { EmailMessage, Subscription } from '../port.ts'
import { plainHeader, wireAddress } from './header.ts'

/** RFC 3834 §5: who answers by a program does not answer this, and who watches for such loops lets it pass. */
const AUTOMATIC = 'Auto-Submitted: auto-generated'
/** RFC 2919 §2. */
const MAX_LIST_ID = 255
/** Google: 5 to 15 characters that are the same in all mail of a sender. */
const SENDER_DIGITS = 12

/**
 * What a mail is (M53), for mail programs and receivers: of a program, or of a subscription, which its reader ends by one click (RFC 8058 §3.1) or,
 * where `unsubscribeAddress` is read, by a mail (RFC 2369 §3.2). None has `Precedence`.
 */
export function kindHeaders(message: EmailMessage, unsubscribeAddress: string | null): readonly string[] {
  const { subscription } = message
  if (subscription === undefined) return [AUTOMATIC]
  const byMail =
    unsubscribeAddress === null ? '' : `,\r\n ${plainHeader('', `<mailto:${unsubscribeAddress}?subject=unsubscribe>`).slice(2)}`
  return [
    ...listId(message),
    plainHeader('Feedback-ID', feedbackId(message.workspaceId, subscription)),
    `${plainHeader('List-Unsubscribe', `<${subscription.unsubscribeUrl}>`)}${byMail}`,
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ]
}

/** The same for all marketing mail of a workspace from a domain, so that rules of mail programs keep working. */
const listId = ({ workspaceId, from }: EmailMessage): readonly string[] => {
  const author = wireAddress(from.email)
  const id = `${workspaceId}.${author.slice(author.lastIndexOf('@') + 1)}`
  return id.length > MAX_LIST_ID ? [] : [plainHeader('List-Id', `<${id}>`)]
}

/** The `Feedback-ID`: up to four parts, the last of which is the sender. Receivers count complaints by each part. */
const feedbackId = (workspaceId: WorkspaceId, { sentBy: { kind, id } }: Subscription): string =>
  `${id ?? ''}:${workspaceId}:${kind}:${uuidToBase36(workspaceId).slice(-SENDER_DIGITS)}`
