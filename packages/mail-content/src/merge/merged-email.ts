import { createHash } from 'node:crypto'
import type { EmailContent, MergedContent } from '@tidings/domain'
import { joinedText } from './compiled-text.ts'

/** The texts of a template that a mail is made of. */
export type EmailTexts = Readonly<{ subject: string | null; html: string | null; text: string | null }>

/** Names a version of the texts, for ever: SHA-256 of the three as JSON, base64url. Stored in `EmailAccepted`. */
export function textsDigest({ subject, html, text }: EmailTexts): string {
  return createHash('sha256')
    .update(JSON.stringify([subject, html, text]))
    .digest('base64url')
}

/** The mail as it was accepted. `texts`: those that `templateDigest` names. It reads no tag and escapes nothing, so no later version of this code makes another mail of it. */
export function joinedEmail({ subject, html, text }: MergedContent, texts: EmailTexts): EmailContent {
  return { subject, html: joinedText(html, texts.html ?? ''), text: text === null ? null : joinedText(text, texts.text ?? '') }
}
