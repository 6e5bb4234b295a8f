import { type Command, type Decider, Refused } from '../kernel.ts'
import type { MessageChannel, MessageEvent } from '../message/message.events.ts'

/** `at`: ISO 8601; `machine`: whoever asked gave itself away as a program. */
export type RecordOpen = Command<'RecordOpen', { at: string; machine: boolean }>
export type RecordClick = Command<'RecordClick', { at: string; machine: boolean; link: number; url: string }>
export type EngagementCommand = RecordOpen | RecordClick

/** An event of a message as the log gives it back: it knows when it was written. One that was decided a moment ago does not yet. */
export type DatedMessageEvent = MessageEvent & Readonly<{ meta?: Readonly<{ at: string }> }>

export type EngagementState = Readonly<{
  message: Readonly<{ messageId: string; contactId: string; channel: MessageChannel }> | null
  /** When it was known that the provider has the mail, ISO 8601. */
  acceptedAt: string | null
  opened: Readonly<{ person: boolean; machine: boolean }>
  clicks: Readonly<{ person: number; machine: number }>
}>

/** Nobody reads a mail in the first moments: what comes so soon is a scanner on its way to the mailbox (M6). Ms. */
const TOO_SOON_MS = 2_000

/** A link may be followed for ever; a stream has an end. Scanners follow every link of a mail, and say the same each time. */
const MOST_CLICKS = { person: 100, machine: 10 } as const

const initialState: EngagementState = {
  message: null,
  acceptedAt: null,
  opened: { person: false, machine: false },
  clicks: { person: 0, machine: 0 },
}

const decide = (command: EngagementCommand, state: EngagementState): readonly DatedMessageEvent[] => {
  if (state.message === null) throw new Refused('message_not_found')
  const machine = command.data.machine || isTooSoon(command.data.at, state.acceptedAt)
  const who = machine ? 'machine' : 'person'
  switch (command.type) {
    case 'RecordOpen':
      return state.opened[who] ? [] : [{ type: 'EmailOpened', data: { ...state.message, machine } }]
    case 'RecordClick': {
      const { link, url } = command.data
      return state.clicks[who] >= MOST_CLICKS[who] ? [] : [{ type: 'EmailClicked', data: { ...state.message, machine, link, url } }]
    }
    default:
      return command satisfies never
  }
}

/** Before anybody knows that the provider has it is too soon as well. */
const isTooSoon = (at: string, acceptedAt: string | null): boolean =>
  acceptedAt === null || Date.parse(at) - Date.parse(acceptedAt) <= TOO_SOON_MS

const evolve = (state: EngagementState, event: DatedMessageEvent): EngagementState => {
  switch (event.type) {
    case 'EmailAccepted': {
      const { messageId, contactId, channel } = event.data
      return { ...state, message: { messageId, contactId, channel } }
    }
    case 'MessageSent':
    case 'MessageDelivered':
      // A receipt may overtake the provider's answer: then it is the first to say that the provider has it.
      return { ...state, acceptedAt: state.acceptedAt ?? event.meta?.at ?? null }
    case 'EmailOpened':
      return { ...state, opened: { ...state.opened, [event.data.machine ? 'machine' : 'person']: true } }
    case 'EmailClicked': {
      const who = event.data.machine ? 'machine' : 'person'
      return { ...state, clicks: { ...state.clicks, [who]: state.clicks[who] + 1 } }
    }
    default:
      return state
  }
}

/**
 * What became of a mail in its recipient's hands. The same stream as `message`, folded for another question: the first open and every click
 * of the person are events, and of machines only as many as show that they came.
 */
export const engagement: Decider<EngagementCommand, DatedMessageEvent, EngagementState> = { decide, evolve, initialState }

/** True when the same from the same sort of caller can add nothing any more, at whatever time it comes. */
export const isSpent = ({ type, data: { machine } }: EngagementCommand, { opened, clicks }: EngagementState): boolean => {
  const who = machine ? 'machine' : 'person'
  return type === 'RecordOpen' ? opened[who] : clicks[who] >= MOST_CLICKS[who]
}
