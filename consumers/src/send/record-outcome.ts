import { setTimeout as sleep } from 'node:timers/promises'
import { unlessAborted } from '@tidings/async'
import { isoNow } from '@tidings/async/clock'
import { type EventLog, SubjectErased } from '@tidings/codec'
import { type MessageCommand, message, messageStream } from '@tidings/domain'
import { WrongExpectedRevision } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import { isRetryableHere } from '../is-retryable-here.ts'
import { existingHistory, type MessageHistory } from './history.ts'

/**
 * `signal` ends the wait for an unavailable log; the next worker then finds out the outcome again. `lost`: the job
 * belongs to another worker now.
 */
export type Recording = Readonly<{ log: EventLog; signal: AbortSignal; lost: () => boolean }>

/** `decided again`: on what others had recorded since, so the log may say something else than was given. */
export type RecordedAs = 'as decided' | 'decided again'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * This is longer than the 5 s between two tries to record an outcome, and the 3 s (the longest silence of a store's call) that the second may take to reach a
 * log that is back. A worker that takes a job over waits so long, from a moment at which the log could be read.
 */
export const TAKEOVER_WAIT_MS = 10_000

/**
 * Records the outcome of a message with the exact revision that it was decided on, and tries until the log has it. If a receipt came in
 * between, it decides again on the present log. The command's id is the message and the kind of outcome, so a repetition is harmless.
 * A send is recorded even if the job is lost, because the message has left. Any other outcome is then left to the new owner.
 */
export async function recordOutcome(recording: Recording, history: MessageHistory, command: MessageCommand): Promise<RecordedAs> {
  const { log, signal, lost } = recording
  let wait = FIRST_WAIT_MS
  let known = history
  let outcome = command
  let isOutdated = false
  let recorded: RecordedAs = 'as decided'
  while (true) {
    if (lost() && !hasLeft(outcome)) throw new Fenced('another worker has the job, and finds an outcome of its own')
    try {
      if (isOutdated) known = await existingHistory(log, known.accepted.meta.workspaceId, known.accepted.data.messageId)
      isOutdated = false
      await append(recording, known, outcome)
      return recorded
    } catch (error) {
      if (error instanceof WrongExpectedRevision) {
        isOutdated = true
        recorded = 'decided again'
      } else if (error instanceof SubjectErased) {
        const rest = withoutDetail(outcome)
        if (rest === null) return recorded
        outcome = rest
      } else if (!isRetryableHere(error)) throw error
    }
    await sleep(wait, undefined, { signal })
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

async function append({ log, signal }: Recording, known: MessageHistory, outcome: MessageCommand): Promise<void> {
  const { meta, data, id } = known.accepted
  const events = sentByAnother(known, outcome) ? [] : message.decide(outcome, known.state)
  if (events.length === 0) return
  const appending = log.append(messageStream(meta.workspaceId, data.messageId), known.revision, events, {
    commandId: commandIdOf(known, outcome),
    workspaceId: meta.workspaceId,
    actor: 'pipeline',
    requestId: meta.requestId,
    causationId: id,
    at: isoNow(),
  })
  await unlessAborted(appending, signal)
  signal.throwIfAborted()
}

const hasLeft = (outcome: MessageCommand): boolean =>
  outcome.type === 'RecordSent' || (outcome.type === 'RecordPushAttempt' && outcome.data.accepted.length > 0)

/** A message has one outcome of a kind; what some browsers of a push answered is recorded again and again. */
const commandIdOf = ({ accepted, revision }: MessageHistory, { type }: MessageCommand): string =>
  `${accepted.data.messageId}:${type}${type === 'RecordPushAttempt' ? `:${revision}` : ''}`

/** A worker that lost its job without knowing it may have failed where the new owner succeeded: the mail has left. */
const sentByAnother = ({ state }: MessageHistory, outcome: MessageCommand): boolean =>
  outcome.type !== 'RecordSent' && outcome.type !== 'RecordPushAttempt' && state.providerMessageId !== null

/**
 * The outcome without the server's words, for an erased person: it is still counted. Null if it has no such words: it
 * comes after the last status and changes nothing.
 */
const withoutDetail = (command: MessageCommand): MessageCommand | null => {
  if (command.type === 'RecordSent') {
    const { response, ...data } = command.data
    return response === undefined ? null : { ...command, data }
  }
  if ((command.type !== 'RecordBounced' && command.type !== 'RecordFailed') || command.data.detail === null) return null
  return command.type === 'RecordBounced'
    ? { ...command, data: { ...command.data, detail: null } }
    : { ...command, data: { ...command.data, detail: null } }
}
