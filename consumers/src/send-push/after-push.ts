import { storableText } from '@tidings/codec'
import type { FailureReason, MessageCommand, MessageState } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import { DURING_OUTAGE, retryAfter } from '../send/retries.ts'
import type { BrowserAnswer, FailedCall } from './call-browsers.ts'

/** The outcome to record, null for nothing, and the time of the next try of the rest, null for never. */
export type AfterPush = Readonly<{ outcome: MessageCommand | null; again: Deferral | null }>

type Round = Readonly<{ state: MessageState; provider: string; attempt: number; delays: readonly number[] }>

const hashOf = ({ browser }: BrowserAnswer): string => browser.endpointHash
const isOpen = (answer: BrowserAnswer): answer is FailedCall =>
  answer.failure === 'temporary' || answer.failure === 'unconfirmed' || answer.failure === 'outage'

/**
 * Decides what follows the answers of a round. A message is sent when one browser has it; the browsers that may answer later are tried again by
 * themselves (M16), and those that took or refused it are not. Failed is what no browser took: because they are gone, because they
 * refused it, or because the last try is over.
 */
export function afterPush(answers: readonly BrowserAnswer[], { state, provider, attempt, delays }: Round): AfterPush {
  if (answers.length > 0 && answers.every(({ failure }) => failure === 'outage')) return { outcome: null, again: DURING_OUTAGE }
  const open = answers.filter(isOpen)
  const again = open.length === 0 ? null : notBefore(retryAfter(attempt, delays), open)
  const waiting = again === null ? [] : open.map(hashOf)
  const taken = answers.find((answer) => answer.failure === null)
  const providerMessageId = taken?.failure === null ? taken.providerMessageId : null
  const isFirst = state.waiting === null && waiting.length === 0
  if (isFirst && providerMessageId !== null) return { outcome: { type: 'RecordSent', data: { provider, providerMessageId } }, again: null }
  if (waiting.length === 0 && providerMessageId === null && state.status === 'queued')
    return { outcome: failed(answers, open), again: null }
  const accepted = answers.filter(({ failure }) => failure === null).map(hashOf)
  const refused = answers.filter((answer) => answer.failure !== null && !waiting.includes(hashOf(answer))).map(hashOf)
  // Nothing is new while all of them wait.
  if (accepted.length + refused.length === 0) return { outcome: null, again }
  return { outcome: { type: 'RecordPushAttempt', data: { accepted, refused, waiting, provider, providerMessageId } }, again }
}

/** Ends a message that is not to be sent, or not to any more browsers: one that a browser has stays sent. */
export function endPush(state: MessageState, outcome: MessageCommand): MessageCommand {
  if (state.status === 'queued' || state.waiting === null) return outcome
  return {
    type: 'RecordPushAttempt',
    data: { accepted: [], refused: state.waiting, waiting: [], provider: '', providerMessageId: null },
  }
}

/** A push service may ask for a longer wait than ours, never for a shorter one. */
const notBefore = (again: Deferral | null, open: readonly FailedCall[]): Deferral | null =>
  again && { ...again, inMs: Math.max(again.inMs, ...open.map(({ retryAfterMs = 0 }) => retryAfterMs)) }

const failed = (answers: readonly BrowserAnswer[], open: readonly BrowserAnswer[]): MessageCommand => {
  const refused = answers.find(({ failure }) => failure === 'refused')
  const said = open[0] ?? refused ?? answers[0]
  const reason: FailureReason = open.length > 0 ? 'provider_unavailable' : refused ? 'provider_rejected' : 'push_endpoint_gone'
  return { type: 'RecordFailed', data: { reason, detail: said && said.failure !== null ? storableText(said.detail) : null } }
}
