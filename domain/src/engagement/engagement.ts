import type { ContactId, MessageId } from '../ids.ts'
import { type Command, type Decider, Refused } from '../kernel.ts'
import type { MessageCampaign, MessageChannel, MessageEvent } from '../message/message.events.ts'

/** `at`: ISO 8601; `machine`: the caller shows that it is a program. */
type RecordOpen = Command<'RecordOpen', { at: string; machine: boolean }>
type RecordClick = Command<'RecordClick', { at: string; machine: boolean; link: number; url: string }>
export type EngagementCommand = RecordOpen | RecordClick

/** An event of a message as the log gives it back: it knows when it was written. One that was decided a moment ago does not yet. */
export type DatedMessageEvent = MessageEvent & Readonly<{ meta?: Readonly<{ at: string }> }>

type EngagementState = Readonly<{
  message: Readonly<{ messageId: MessageId; contactId: ContactId; channel: MessageChannel; campaign?: MessageCampaign }> | null
  /** The time at which the provider was first known to have the mail, ISO 8601. */
  acceptedAt: string | null
  opened: Readonly<{ person: boolean; machine: boolean }>
  clicks: Readonly<{ person: number; machine: number }>
}>

/** An open or click this soon after sending is a scanner before the mailbox, not a person (M6). Ms. */
const TOO_SOON_MS = 2_000

/** Bounds the stream: links have no expiry. Scanners follow every link of a mail, each time with the same result. */
const MOST_CLICKS = { person: 100, machine: 10 } as const

const initialState: EngagementState = {
  message: null,
  acceptedAt: null,
  opened: { person: false, machine: false },
  clicks: { person: 0, machine: 0 },
}

const decide = (command: EngagementCommand, state: EngagementState): readonly DatedMessageEvent[] => {
  if (state.message === null) throw new Refused('message_not_found')
  // No scanner stands before a browser, and a notification may be clicked at once.
  const machine = command.data.machine || (state.message.channel !== 'push' && isTooSoon(command.data.at, state.acceptedAt))
  const who = machine ? 'machine' : 'person'
  switch (command.type) {
    case 'RecordOpen':
      return state.opened[who] ? [] : [{ type: 'EmailOpened', data: { ...state.message, machine } }]
    case 'RecordClick':
      return state.clicks[who] >= MOST_CLICKS[who] ? [] : [clicked(state.message, command.data, machine)]
    default:
      return command satisfies never
  }
}

type Clicked = NonNullable<EngagementState['message']>

const clicked = (message: Clicked, { link, url }: RecordClick['data'], machine: boolean): MessageEvent =>
  message.channel === 'push'
    ? { type: 'PushClicked', data: { ...message, machine, url } }
    : { type: 'EmailClicked', data: { ...message, machine, link, url } }

/** An engagement is also too soon before the provider is known to have the mail. */
const isTooSoon = (at: string, acceptedAt: string | null): boolean =>
  acceptedAt === null || Date.parse(at) - Date.parse(acceptedAt) <= TOO_SOON_MS

const evolve = (state: EngagementState, event: DatedMessageEvent): EngagementState => {
  switch (event.type) {
    case 'EmailAccepted':
    case 'PushAccepted': {
      const { messageId, contactId, channel, campaign } = event.data
      return { ...state, message: { messageId, contactId, channel, ...(campaign && { campaign }) } }
    }
    case 'MessageSent':
    case 'MessageDelivered':
      // A receipt may arrive before the provider's answer, and then also shows that the provider has the mail.
      return { ...state, acceptedAt: state.acceptedAt ?? event.meta?.at ?? null }
    case 'EmailOpened':
      return { ...state, opened: { ...state.opened, [event.data.machine ? 'machine' : 'person']: true } }
    case 'EmailClicked':
    case 'PushClicked': {
      const who = event.data.machine ? 'machine' : 'person'
      return { ...state, clicks: { ...state.clicks, [who]: state.clicks[who] + 1 } }
    }
    default:
      return state
  }
}

/**
 * Opens and clicks of a mail, clicks of a notification. The same stream as `message`, folded for another question: the first open and every click
 * of the person are events, of machines only a few.
 */
export const engagement: Decider<EngagementCommand, DatedMessageEvent, EngagementState> = { decide, evolve, initialState }

/** True when a repetition by the same kind of caller can add nothing, at any time. */
export function isSpent({ type, data: { machine } }: EngagementCommand, { opened, clicks }: EngagementState): boolean {
  const who = machine ? 'machine' : 'person'
  return type === 'RecordOpen' ? opened[who] : clicks[who] >= MOST_CLICKS[who]
}
