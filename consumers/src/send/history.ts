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
export function freshHistory(accepted: Recorded<EmailAccepted>): MessageHistory {
  return {
    accepted,
    state: message.evolve(message.initialState, accepted),
    revision: accepted.revision,
    unconfirmedAt: null,
  }
}

/**
 * A job names a message that the log does not show: the log is not the one that the job came from, or its answer is older than the job.
 * Never a reason to think that nothing is to be done.
 */
export class MessageMissing extends Error {
  override readonly name = 'MessageMissing'
  constructor(messageId: string) {
    super(`the log does not show the message ${messageId}, which a job is about`)
  }
}

/** The history of a message that was accepted; rejects with `MessageMissing` where the workspace has no such message. */
export async function existingHistory(log: EventLog, workspaceId: string, messageId: string): Promise<MessageHistory> {
  const events = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  const accepted = events.find((event): event is Recorded<EmailAccepted> => event.type === 'EmailAccepted')
  if (accepted === undefined) throw new MessageMissing(messageId)
  return {
    accepted,
    state: events.reduce(message.evolve, message.initialState),
    revision: events.at(-1)?.revision ?? 0,
    unconfirmedAt: events.find(({ type }) => type === 'MessageUnconfirmed')?.meta.at ?? null,
  }
}
