import type { WorkspaceId } from '@tidings/domain'
import type { SendOptions } from '../../src/port.ts'

/** What the other side took: `text` is the body of a message, or what a call says, once. */
export type TakenMessage = Readonly<{ to: string; from: string; text: string }>

/** The provider's other side, as far as it can misbehave; everything lasts until `behave`. */
export type OtherSide = Readonly<{
  behave: () => void
  /** Refuses what goes to that number: because of the number, for another reason, or for now. */
  refuse: (to: string, how: 'recipient' | 'refused' | 'temporary') => void
  /** Takes what goes to that number, and closes the connection instead of answering. */
  cutAfterTaking: (to: string) => void
  /** Takes what goes to that number, and never answers. */
  stall: (to: string) => void
  /** Refuses so many requests, whatever they are, because there are too many. */
  limitRate: (times: number) => void
  /** Refuses what goes to that number, because there are too many. */
  limitOne: (to: string) => void
  /** Takes whatever comes, and answers nothing until then. */
  hold: (until: Promise<void>) => void
  stop: () => Promise<void>
  start: () => Promise<void>
}>

/**
 * An adapter under test. `secrets` may be in no error. `otherSide` is left out where nothing leaves the process.
 */
export type Harness<Provider> = Readonly<{
  provider: Provider
  taken: () => Promise<readonly TakenMessage[]>
  secrets: readonly string[]
  otherSide?: OtherSide
  close: () => Promise<void>
}>

/** `workspaceId`: one of its own where it is left out. */
export type Outgoing = Readonly<{ to: string; text: string; workspaceId?: WorkspaceId }>

/** What the scenarios that email, SMS and voice share are run with. */
export type Sending = Readonly<{
  send: (message: Outgoing, options: SendOptions) => Promise<Readonly<{ providerMessageId: string }>>
  provider: Readonly<{ outage: () => string | null; close: () => Promise<void> }>
  harness: Readonly<{ taken: Harness<unknown>['taken']; secrets: readonly string[]; otherSide?: OtherSide; close: () => Promise<void> }>
}>

/** No call that is answered takes so long. */
export const CALL_MS = 60_000
/** For the scenarios of a rate: what is refused for it is tried again after a fortieth of this. */
export const RATED_CALL_MS = 10_000
/** What a call may take in the scenarios that wait for its end. */
export const SHORT_CALL_MS = 4_000

export const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }

let numbers = 0

/** A number that no other scenario uses. */
export function newNumber(): string {
  numbers++
  return `+97250${String(numbers).padStart(7, '0')}`
}
