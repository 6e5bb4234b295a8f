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
import { type MessageContentReader, messageContentReader } from '../message-content.ts'
import { endedOf } from './ended-of.ts'

type Fields = Readonly<Record<string, unknown>>

export type MessagesOf = (ids: AsyncIterable<MessageId>) => AsyncIterable<Fields>

type Reading = Readonly<{ log: StreamReader; contents: Pick<ContentStore<EmailContent>, 'get'>; workspaceId: WorkspaceId }>

/** One message after the other, with its content while that is kept, and all that became of it. */
export function messagesOf(reading: Reading): MessagesOf {
  const read = messageContentReader(reading)
  return async function* messages(ids) {
    for await (const id of ids) {
      const stream = messageStream(reading.workspaceId, id)
      const events = await reading.log.readStream<MessageEvent>(reading.workspaceId, stream, { pastLimits: true })
      const { status, failureReason } = events.reduce<MessageState>(message.evolve, message.initialState)
      const [accepted] = events
      if (accepted === undefined) continue
      const { messageId: _, contactId: __, ...data } = accepted.data
      const content = await contentOf(read, reading.workspaceId, accepted.data)
      const history = events.map(({ type, meta, data: { messageId: _id, contactId: _contact, ...facts } }, n) =>
        n === 0 ? { at: meta.at, type } : { at: meta.at, type, ...facts },
      )
      yield { id, status, failureReason, acceptedAt: accepted.meta.at, ...data, ...content, ...endedOf(accepted), history }
    }
  }
}

/** `contentGone`: its retention is over. */
const contentOf = async (read: MessageContentReader, workspaceId: WorkspaceId, data: MessageEvent['data']): Promise<Fields> => {
  const mail = await read(workspaceId, data)
  // The pieces say the same once more.
  if (mail.state === 'kept') return { content: mail.content, ...(mail.isJoined && { merged: undefined }) }
  return mail.state === 'gone' && 'contentId' in data && data.contentId !== null ? { contentGone: true } : {}
}
