import { setTimeout as sleep } from 'node:timers/promises'
import { type EventLog, SubjectErased } from '@tidings/codec'
import { type MessageCommand, message, messageStream } from '@tidings/domain'
import { orStopped, WrongExpectedRevision } from '@tidings/event-store'
import { type MessageHistory, readHistory } from './history.ts'

/** `signal` ends the waiting for a log that is away; what was not recorded is then found out again by the next worker. */
export type Recording = Readonly<{ log: EventLog; signal: AbortSignal }>

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

/**
 * Records what became of a message, with the exact revision it was decided on; when a receipt came in between, decides again on what the
 * log says now. The command's id is the message and the kind of outcome, so that telling it twice is telling it once.
 */
export async function recordOutcome({ log, signal }: Recording, history: MessageHistory, command: MessageCommand): Promise<void> {
  let wait = FIRST_WAIT_MS
  let known = history
  let told = command
  while (true) {
    const { meta, data, id } = known.accepted
    const events = message.decide(told, known.state)
    if (events.length === 0) return
    try {
      const appending = log.append(messageStream(meta.workspaceId, data.messageId), known.revision, events, {
        commandId: `${data.messageId}:${command.type}`,
        workspaceId: meta.workspaceId,
        actor: 'pipeline',
        requestId: meta.requestId,
        causationId: id,
        at: new Date().toISOString(),
      })
      await orStopped(appending, signal)
      return signal.throwIfAborted()
    } catch (error) {
      if (error instanceof WrongExpectedRevision) known = (await readHistory(log, meta.workspaceId, data.messageId)) ?? known
      else if (error instanceof SubjectErased) told = withoutDetail(told)
      else if (!isRetryable(error)) throw error
      else {
        await sleep(wait, undefined, { signal })
        wait = Math.min(wait * 2, LONGEST_WAIT_MS)
      }
    }
  }
}

/** The person is gone: the outcome is still counted, the server's words about them are not kept. */
const withoutDetail = (command: MessageCommand): MessageCommand =>
  command.type === 'RecordBounced'
    ? { ...command, data: { ...command.data, detail: null } }
    : command.type === 'RecordFailed'
      ? { ...command, data: { ...command.data, detail: null } }
      : command

const isRetryable = (error: unknown): boolean => error instanceof Error && 'retryable' in error && error.retryable === true
