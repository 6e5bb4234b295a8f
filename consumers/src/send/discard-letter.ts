import { isoNow } from '@tidings/async/clock'
import type { CommandRunner } from '@tidings/commands'
import { asMessageId, message, messageStream, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { type DeadLetter, discardDeadLetter, SEND_KINDS } from '@tidings/jobs'
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

/** Gives up an open dead letter, and the message that it was to send. The message first: a discard that dies in between is discarded again. */
export async function discardLetter({ commands, pool }: Discarding, letter: DeadLetter, note: string): Promise<Discarded> {
  const position = letter.state === 'open' ? await giveUpMessage(commands, letter) : null
  return { discarded: await discardDeadLetter(pool, letter.id, note), position }
}
