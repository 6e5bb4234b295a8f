import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  contact,
  contactStream,
  type EmailAccepted,
  type MessageEvent,
  type MessageReceiptIgnored,
  messageStream,
  type NoteEmailOutcome,
  Refused,
} from '@tidings/domain'
import type { Job, Verdict } from '@tidings/inbox'
import { MessageMissing } from '../send/history.ts'

export type Noting = Readonly<{ log: EventLog; runner: Pick<CommandRunner, 'execute'> }>
type Noted = NoteEmailOutcome['data']['outcome']

/** RFC 3463 §3.2: X.1.x is about the address itself. */
const BAD_ADDRESS = /\b5\.1\.\d{1,3}\b/

/** Draws the consequences of one outcome for the contact (N48, N171, N188). Every command's id comes from the event: twice is once. */
export async function noteOutcome({ log, runner }: Noting, { workspaceId, payload }: Job): Promise<Verdict> {
  const [messageId = '', revision = ''] = payload.split('@')
  const events = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  const accepted = events.find((event): event is Recorded<EmailAccepted> => event.type === 'EmailAccepted')
  const cause = events.find((event) => event.revision === Number(revision))
  if (accepted === undefined || cause === undefined) throw new MessageMissing(messageId)
  if (accepted.erased) return 'done'
  const { contactId, to } = accepted.data
  for (const outcome of outcomesOf(cause, events)) {
    try {
      await runner.execute({
        decider: contact,
        stream: contactStream(workspaceId, contactId),
        command: { type: 'NoteEmailOutcome', data: { contactId, email: to, outcome } },
        context: {
          commandId: `${cause.id}:${outcome}`,
          workspaceId,
          actor: 'pipeline',
          requestId: cause.meta.requestId,
          causationId: cause.id,
          at: cause.meta.at,
        },
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }
  return 'done'
}

/** A hard bounce suppresses; one that says the address is bad also marks it invalid. */
const hardBounce = (detail: unknown): readonly Noted[] =>
  typeof detail === 'string' && BAD_ADDRESS.test(detail) ? ['hard_bounce', 'invalid_address'] : ['hard_bounce']

function outcomesOf(cause: Recorded<MessageEvent>, history: readonly Recorded<MessageEvent>[]): readonly Noted[] {
  switch (cause.type) {
    case 'MessageDelivered':
      return ['delivered']
    case 'EmailOpened':
      // Who reads it has got it (N48).
      return ['delivered']
    case 'MessageComplained':
      return ['spam_complaint']
    case 'MessageBounced':
      return hardBounce(cause.data.detail)
    case 'MessageReceiptIgnored':
      return isNews(cause, history) ? outcomesOfLate(cause.data) : []
    default:
      return []
  }
}

/** Whatever the status is, the provider said it (M30). */
const outcomesOfLate = ({ receipt, facts }: MessageReceiptIgnored['data']): readonly Noted[] => {
  if (receipt === 'delivered') return ['delivered']
  if (receipt === 'complained') return ['spam_complaint']
  return receipt === 'bounced' ? hardBounce(facts?.detail) : []
}

/**
 * A late receipt counts unless an earlier event said the same: the contact may have been subscribed or released again since. A delivery does
 * not count either after a bounce, which took it back.
 */
const isNews = ({ revision, data }: Recorded<MessageReceiptIgnored>, history: readonly Recorded<MessageEvent>[]): boolean => {
  const saidBefore: Readonly<Record<MessageReceiptIgnored['data']['receipt'], (event: MessageEvent) => boolean>> = {
    delivered: ({ type }) => type === 'MessageDelivered' || type === 'MessageBounced',
    bounced: (event) => event.type === 'MessageBounced' && event.data.hard,
    complained: ({ type }) => type === 'MessageComplained',
    failed: () => true,
  }
  return !history.some((event) => event.revision < revision && saidBefore[data.receipt](event))
}
