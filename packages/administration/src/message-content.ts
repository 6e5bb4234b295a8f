import type { ContentStore, StreamReader } from '@tidings/codec'
import type { EmailContent, MessageEvent, WorkspaceId } from '@tidings/domain'
import { createTemplateTexts } from '@tidings/log-views'
import { joinedEmail } from '@tidings/mail-content'

/** `none`: the event has all that there is, as for a text message. `gone`: its retention is over, or its recipient is erased. */
type MessageContent =
  | Readonly<{ state: 'kept'; content: EmailContent; isJoined: boolean }>
  | Readonly<{ state: 'none' }>
  | Readonly<{ state: 'gone' }>

/** Reads what a mail said from the event by which it was accepted, and from where that says that it lies. `isJoined`: from pieces and the template's version. */
export type MessageContentReader = (workspaceId: WorkspaceId, accepted: MessageEvent['data']) => Promise<MessageContent>

type ContentSources = Readonly<{ log: StreamReader; contents: Pick<ContentStore<EmailContent>, 'get'> }>

export function messageContentReader({ log, contents }: ContentSources): MessageContentReader {
  const templates = createTemplateTexts(log)
  return async (workspaceId, data) => {
    if (!('contentId' in data)) return { state: 'none' }
    const { merged, templateId, templateDigest, content } = data
    if (merged && templateId !== null && templateDigest !== undefined)
      return {
        state: 'kept',
        content: joinedEmail(merged, await templates.find({ workspaceId, templateId, templateDigest })),
        isJoined: true,
      }
    if (data.contentId === null) return content === null ? { state: 'gone' } : { state: 'kept', content, isJoined: false }
    const stored = await contents.get(workspaceId, data.contentId)
    return stored === null || stored === 'erased' ? { state: 'gone' } : { state: 'kept', content: stored, isJoined: false }
  }
}
