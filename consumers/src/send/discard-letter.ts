import { isoNow } from '@tidings/async/clock'
import type { CommandRunner } from '@tidings/commands'
import { asMessageId, message, messageStream, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { type DeadLetter, discardDeadLetter, SEND_KINDS } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import pLimit from 'p-limit'
import type { Pool } from 'pg'

const KINDS: readonly string[] = Object.values(SEND_KINDS).flatMap((kinds) => Object.values(kinds))

/**
 * Ends the message of a discarded dead letter: no job sends it any more, so without this it would be queued, and its campaign sending, for ever. Returns the
 * position of the end; null if the dead letter has no message, or the message has left the queue.
 */
export async function giveUpMessage(
  commands: Pick<CommandRunner, 'load' | 'execute'>,
  {
    source,
    consumer,
    workspaceId,
    payload: messageId,
  }: Readonly<{ source: 'event' | 'job' | 'record'; consumer: string; workspaceId: WorkspaceId | null; payload: string | null }>,
): Promise<Position | null> {
  if (source !== 'job' || !KINDS.includes(consumer) || workspaceId === null || messageId === null) return null
  const stream = messageStream(workspaceId, asMessageId(messageId))
  const { state } = await commands.load({ decider: message, stream, workspaceId })
  if (state.status !== 'queued') return null
  const commandId = `${messageId}:discarded`
  const { position } = await commands.execute({
    decider: message,
    stream,
    command: { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } },
    context: { commandId, workspaceId, actor: 'operator', requestId: commandId, at: isoNow() },
  })
  return position
}

type Discarding = Readonly<{ commands: Pick<CommandRunner, 'load' | 'execute'>; pool: Pool }>

/** `position`: where the log says that the message of the letter has failed; null where it does not. */
type Discarded = Readonly<{ discarded: boolean; position: Position | null }>

/** One at a time in a process: each has a connection while the log takes the end of its message over another. */
const oneAtATime = pLimit(1)

/** Gives up an open dead letter, and the message that it was to send: both or neither. Until it is known which, the letter can neither be tried again nor given up. */
export function discardLetter({ commands, pool }: Discarding, letter: DeadLetter, note: string): Promise<Discarded> {
  return oneAtATime(() =>
    transaction(pool, async (tx) => {
      const discarded = await discardDeadLetter(tx, letter.id, note)
      return { discarded, position: discarded ? await giveUpMessage(commands, letter) : null }
    }),
  )
}
