import { type EmailContent, utf8Length, type WorkspaceId } from '@tidings/domain'
import type { ContentStore } from './content-store.ts'

/** The location of a mail's content: inside its event, or in a row that the event names. */
export type ContentPlace = Readonly<{ content: EmailContent | null; contentId: string | null }>

/** Bytes of UTF-8. Up to here content is part of its event, one durable write instead of two; above, it is a row beside the log. */
const MAX_IN_EVENT = 16 * 1024

/** A character of a text has three bytes at most: what fits by that is not counted, which takes 2 µs for 2 KB of html. */
export function fitsInEvent({ subject, html, text }: EmailContent): boolean {
  const characters = subject.length + html.length + (text?.length ?? 0)
  if (characters * 3 <= MAX_IN_EVENT) return true
  return characters <= MAX_IN_EVENT && utf8Length(subject) + utf8Length(html) + utf8Length(text ?? '') <= MAX_IN_EVENT
}

type Placing = Readonly<{ workspaceId: WorkspaceId; subject: string; content: EmailContent }>

/** Stores content that is too large for its event; the row is durable before the event that names it. Throws `SubjectErased`. */
export async function placeContent(
  contents: Pick<ContentStore<EmailContent>, 'put'>,
  { workspaceId, subject, content }: Placing,
): Promise<ContentPlace> {
  if (fitsInEvent(content)) return { content, contentId: null }
  return { content: null, contentId: await contents.put(workspaceId, subject, content) }
}
