import type { Recorded, StreamReader } from '@tidings/codec'
import {
  addressesOf,
  asMessageId,
  type EmailAccepted,
  type MessageEvent,
  messageStream,
  type SmsAccepted,
  type WorkspaceId,
} from '@tidings/domain'
import { type Accepted, MessageMissing } from '../send/history.ts'

/** The subject of a job about an outcome: the message, the event that is the outcome, and all events of the message. */
type Cause<A extends Accepted> = Readonly<{
  accepted: Recorded<A>
  cause: Recorded<MessageEvent>
  history: readonly Recorded<MessageEvent>[]
}>
type OfType<T extends Accepted['type']> = Extract<Accepted, { type: T }>

/** Reads the message of a job whose payload is `<messageId>@<revision>`. `type`: the event that accepts messages of the channel. */
export async function causeOf<T extends Accepted['type']>(
  log: StreamReader,
  type: T,
  { workspaceId, payload }: Readonly<{ workspaceId: WorkspaceId; payload: string }>,
): Promise<Cause<OfType<T>>> {
  const [id = '', revision = ''] = payload.split('@')
  const messageId = asMessageId(id)
  const history = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  const accepted = history.find((event) => event.type === type)
  const cause = history.find((event) => event.revision === Number(revision))
  if (accepted === undefined || cause === undefined) throw new MessageMissing(messageId)
  // The edge where the type that was looked for becomes one to the compiler.
  return { accepted: accepted as Recorded<OfType<T>>, cause, history }
}

/**
 * The address that the cause is about: the one that the report names, where the message was readdressed from it, else the one that the message had last
 * been handed over to when the cause came.
 */
export function addressAt({ accepted, cause, history }: Cause<EmailAccepted | SmsAccepted>): string {
  const named = cause.type === 'MessageReceiptIgnored' ? cause.data.address : undefined
  return addressesOf(history.filter(({ revision }) => revision < cause.revision)).at(named ?? -1) ?? accepted.data.to
}
