import type { EventLog, Recorded } from '@tidings/codec'
import {
  type EmailAccepted,
  type MessageEvent,
  type MessageId,
  type MessageState,
  message,
  messageStream,
  type PushAccepted,
  type SmsAccepted,
  type WorkspaceId,
} from '@tidings/domain'
import { Unrecoverable } from '@tidings/jobs'

/** A message that waits in a lane. Passcodes do not: their route sends them. */
export type Accepted = EmailAccepted | SmsAccepted | PushAccepted

/**
 * A message as the log tells it. `accepted` is its first event; `unconfirmedAt`: when it was put down that the answer to it is missing, and `unconfirmedBy`: of
 * which provider.
 */
export type MessageHistory<A extends Accepted = Accepted> = Readonly<{
  accepted: Recorded<A>
  state: MessageState
  revision: number
  unconfirmedAt: string | null
  unconfirmedBy: string | null
}>

/** The history of a message that has just been accepted: one event, by construction of the stream. */
export function justAcceptedHistory(accepted: Recorded<Accepted>): MessageHistory {
  return {
    accepted,
    state: message.evolve(message.initialState, accepted),
    revision: accepted.revision,
    unconfirmedAt: null,
    unconfirmedBy: null,
  }
}

/**
 * A job names a message that the log does not show: the log is not the one that the job came from, or its answer is older than the job.
 * Never a reason to think that nothing is to be done.
 */
export class MessageMissing extends Error {
  override readonly name = 'MessageMissing'
  constructor(messageId: MessageId) {
    super(`the log does not show the message ${messageId}, which a job is about`)
  }
}

/** The history of a message that was accepted; rejects with `MessageMissing` where the workspace has no such message. */
export async function existingHistory(log: EventLog, workspaceId: WorkspaceId, messageId: MessageId): Promise<MessageHistory> {
  const events = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  const accepted = events.find(isAccepted)
  if (accepted === undefined) throw new MessageMissing(messageId)
  const unconfirmed = events.find((event) => event.type === 'MessageUnconfirmed')
  return {
    accepted,
    state: events.reduce(message.evolve, message.initialState),
    revision: events.at(-1)?.revision ?? 0,
    unconfirmedAt: unconfirmed?.meta.at ?? null,
    unconfirmedBy: unconfirmed?.data.provider ?? null,
  }
}

const isAccepted = (event: Recorded<MessageEvent>): event is Recorded<Accepted> =>
  event.type === 'EmailAccepted' || event.type === 'SmsAccepted' || event.type === 'PushAccepted'

/** The same history, known to be of the channel whose messages begin with that event; a job of another one can never be done. */
export function historyOf<T extends Accepted['type']>(type: T, history: MessageHistory): MessageHistory<Extract<Accepted, { type: T }>> {
  if (history.accepted.type !== type) throw new Unrecoverable(`the message begins with ${history.accepted.type}, not with ${type}`)
  // The edge where the type that was looked at becomes one to the compiler.
  return history as MessageHistory<Extract<Accepted, { type: T }>>
}
