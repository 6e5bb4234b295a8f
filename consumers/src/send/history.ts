import type { EventLog, Recorded } from '@tidings/codec'
import { type EmailAccepted, type MessageEvent, type MessageState, message, messageStream } from '@tidings/domain'

/** A message as the log tells it. `accepted` is its first event; `unconfirmedAt`: when it was put down that the answer to the mail is missing. */
export type MessageHistory = Readonly<{
  accepted: Recorded<EmailAccepted>
  state: MessageState
  revision: number
  unconfirmedAt: string | null
}>

/** The history of a message that has just been accepted: one event, by construction of the stream. */
export const freshHistory = (accepted: Recorded<EmailAccepted>): MessageHistory => ({
  accepted,
  state: message.evolve(message.initialState, accepted),
  revision: accepted.revision,
  unconfirmedAt: null,
})

/** Null where there is no such message in the workspace. */
export async function readHistory(log: EventLog, workspaceId: string, messageId: string): Promise<MessageHistory | null> {
  const events = await log.readStream<MessageEvent>(messageStream(workspaceId, messageId))
  const accepted = events.find((event): event is Recorded<EmailAccepted> => event.type === 'EmailAccepted')
  if (accepted === undefined || events.some(({ meta }) => meta.workspaceId !== workspaceId)) return null
  return {
    accepted,
    state: events.reduce(message.evolve, message.initialState),
    revision: events.at(-1)?.revision ?? 0,
    unconfirmedAt: events.find(({ type }) => type === 'MessageUnconfirmed')?.meta.at ?? null,
  }
}
