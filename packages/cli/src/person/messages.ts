import type { ContentStore, StreamReader } from '@tidings/codec'
import {
  type EmailContent,
  type MessageEvent,
  type MessageId,
  type MessageState,
  message,
  messageStream,
  type WorkspaceId,
} from '@tidings/domain'
import { createTemplateTexts, type TemplateTexts } from '@tidings/log-views'
import { joinedEmail } from '@tidings/mail-content'
import { endedOf } from './ended-of.ts'

type Fields = Readonly<Record<string, unknown>>

export type MessagesOf = (ids: Iterable<MessageId>) => AsyncIterable<Fields>

type Reading = Readonly<{ log: StreamReader; contents: Pick<ContentStore<EmailContent>, 'get'>; workspaceId: WorkspaceId }>
type ReadingContents = Reading & Readonly<{ templates: TemplateTexts }>

/** One message after the other, with its content while that is kept, and all that became of it. */
export function messagesOf(reading: Reading): MessagesOf {
  const readingContents = { ...reading, templates: createTemplateTexts(reading.log) }
  return async function* messages(ids) {
    for (const id of ids) {
      const stream = messageStream(reading.workspaceId, id)
      const events = await reading.log.readStream<MessageEvent>(reading.workspaceId, stream, { pastLimits: true })
      const { status, failureReason } = events.reduce<MessageState>(message.evolve, message.initialState)
      const [accepted] = events
      if (accepted === undefined) continue
      const { messageId: _, contactId: __, ...data } = accepted.data
      const content = await contentOf(readingContents, accepted.data)
      const history = events.map(({ type, meta, data: { messageId: _id, contactId: _contact, ...facts } }, n) =>
        n === 0 ? { at: meta.at, type } : { at: meta.at, type, ...facts },
      )
      yield { id, status, failureReason, acceptedAt: accepted.meta.at, ...data, ...content, ...endedOf(accepted), history }
    }
  }
}

/** `contentGone`: its retention is over. */
const contentOf = async ({ contents, templates, workspaceId }: ReadingContents, data: MessageEvent['data']): Promise<Fields> => {
  if (!('contentId' in data)) return {}
  const { merged, templateId, templateDigest } = data
  if (merged && templateId !== null && templateDigest !== undefined)
    // The pieces say the same once more.
    return { content: joinedEmail(merged, await templates.find({ workspaceId, templateId, templateDigest })), merged: undefined }
  if (data.contentId === null) return {}
  const content = await contents.get(workspaceId, data.contentId)
  return content === null || content === 'erased' ? { contentGone: true } : { content }
}
