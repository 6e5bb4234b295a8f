import { contactSubject, type EmailContent, utf8Length } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'

/** Up to here content travels inside its event: one durable write instead of two. Above, one row beside the log. Bytes of UTF-8. */
const MAX_INSIDE_EVENT = 16 * 1024

const sizeOf = ({ subject, html, text }: EmailContent): number =>
  html.length > MAX_INSIDE_EVENT ? html.length : utf8Length(subject) + utf8Length(html) + utf8Length(text ?? '')

type Storing = Readonly<{ workspaceId: string; contactId: string; content: EmailContent }>

/** Where the content of a message is kept: in its event, or in a sealed row that is durable before this answers. */
export const storeContent = async (
  { contents }: Pick<Dependencies, 'contents'>,
  { workspaceId, contactId, content }: Storing,
): Promise<Readonly<{ content: EmailContent | null; contentId: string | null }>> => {
  if (sizeOf(content) <= MAX_INSIDE_EVENT) return { content, contentId: null }
  return { content: null, contentId: await contents.put(workspaceId, contactSubject({ contactId }), content) }
}
