import type { Recorded } from '@tidings/codec'
import {
  type EmailAccepted,
  type EventDeclarations,
  type MessageEvent,
  type MessageId,
  type MessageState,
  message,
  messageDeclarations,
  messageStream,
  type PasscodeAccepted,
  type PushAccepted,
  type SmsAccepted,
  type WorkspaceId,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { isErasureAskedFor } from '@tidings/log-views'
import { readAll, type Sources } from '../sources.ts'

export type Accepted = EmailAccepted | SmsAccepted | PushAccepted | PasscodeAccepted

/** A moment that facts are about. `until`: of the log; null is its end. */
export type Moment = Readonly<{ name: string; until: Position | null }>

/** A message by its events. `moments`: its acceptance, and when it was sent or not sent; while it waits, now. */
export type KnownMessage = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
  accepted: Recorded<Accepted>
  events: readonly Recorded<MessageEvent>[]
  state: MessageState
  moments: readonly [Moment, Moment]
}>

/** What ends the waiting for the provider, one way or the other. */
const DECISIVE: ReadonlySet<string> = new Set<MessageEvent['type']>([
  'MessageSent',
  'MessageFailed',
  'MessageBounced',
  'MessageSuppressed',
  'MessageSkipped',
])

/** Null where the workspace has no such message. */
export async function readMessage(
  sources: Sources,
  { workspaceId, messageId }: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>,
) {
  const stored = await readAll<MessageEvent>(sources, workspaceId, messageStream(workspaceId, messageId))
  const contactId = stored.find(isAccepted)?.data.contactId ?? null
  const events = contactId !== null && (await isErasureAskedFor(sources.log, workspaceId, contactId)) ? stored.map(withoutPerson) : stored
  const accepted = events.find(isAccepted)
  if (accepted === undefined) return null
  const decided = events.find(({ type }) => DECISIVE.has(type))
  const known: KnownMessage = {
    workspaceId,
    messageId,
    accepted,
    events,
    state: events.reduce(message.evolve, message.initialState),
    moments: [
      { name: 'at the accept', until: accepted.position },
      decided === undefined ? { name: 'now', until: null } : { name: nameOf(decided), until: decided.position },
    ],
  }
  return known
}

/** The event as it is read once the key is gone. */
const withoutPerson = (event: Recorded<MessageEvent>): Recorded<MessageEvent> => {
  const declared: EventDeclarations[string] | undefined = messageDeclarations[event.type]
  const fields = declared?.personal?.fields ?? []
  const data = { ...event.data, ...Object.fromEntries(fields.map((field) => [field, null])) }
  return { ...event, erased: fields.length > 0, data } as Recorded<MessageEvent>
}

const isAccepted = (event: Recorded<MessageEvent>): event is Recorded<Accepted> =>
  event.type === 'EmailAccepted' || event.type === 'SmsAccepted' || event.type === 'PushAccepted' || event.type === 'PasscodeAccepted'

const nameOf = ({ type }: Recorded<MessageEvent>): string =>
  type === 'MessageSuppressed' || type === 'MessageSkipped' ? 'when it was not sent' : 'at the send'

/** `null` where the message is of none; the log names a flow or a campaign as the one that acted. */
export function idOfActor({ meta: { actor } }: Pick<Recorded, 'meta'>, kind: 'key' | 'flow' | 'campaign' | 'campaign-test'): string | null {
  return actor.startsWith(`${kind}:`) ? actor.slice(kind.length + 1) : null
}
