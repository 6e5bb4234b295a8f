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
import { endedOf } from './ended-of.ts'

type Fields = Readonly<Record<string, unknown>>

export type MessagesOf = (ids: Iterable<MessageId>) => AsyncIterable<Fields>

type Reading = Readonly<{ log: StreamReader; contents: Pick<ContentStore<EmailContent>, 'get'>; workspaceId: WorkspaceId }>

/** One message after the other, with its content while that is kept, and all that became of it. */
export function messagesOf(reading: Reading): MessagesOf {
  return async function* messages(ids) {
    for (const id of ids) {
      const stream = messageStream(reading.workspaceId, id)
      const events = await reading.log.readStream<MessageEvent>(reading.workspaceId, stream, { pastLimits: true })
      const { status, failureReason } = events.reduce<MessageState>(message.evolve, message.initialState)
      const [accepted] = events
      if (accepted === undefined) continue
      const { messageId: _, contactId: __, ...data } = accepted.data
      const content = await contentOf(reading, accepted.data)
      const history = events.map(({ type, meta, data: { messageId: _id, contactId: _contact, ...facts } }, n) =>
        n === 0 ? { at: meta.at, type } : { at: meta.at, type, ...facts },
      )
      yield { id, status, failureReason, acceptedAt: accepted.meta.at, ...data, ...content, ...endedOf(accepted), history }
    }
  }
}

/** `contentGone`: its retention is over. */
const contentOf = async ({ contents, workspaceId }: Reading, data: MessageEvent['data']): Promise<Fields> => {
  if (!('contentId' in data) || data.contentId === null) return {}
  const content = await contents.get(workspaceId, data.contentId)
  return content === null || content === 'erased' ? { contentGone: true } : { content }
}
