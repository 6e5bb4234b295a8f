import { createCommandRunner } from '@tidings/commands'
import { giveUpMessage } from '@tidings/consumers'
import type { Position } from '@tidings/event-store'
import { type DeadLetter, discardDeadLetter } from '@tidings/inbox'
import type { Stores } from '../stores/open-stores.ts'

/** `position`: where the log says that the message of the letter has failed; null where it does not. */
type Discarded = Readonly<{ discarded: boolean; position: Position | null }>

/** Gives up an open dead letter, and the message that it was to send. The message first: a discard that dies in between is discarded again. */
export async function discardLetter({ log, pool }: Pick<Stores, 'log' | 'pool'>, letter: DeadLetter, note: string): Promise<Discarded> {
  const position = letter.state === 'open' ? await giveUpMessage(createCommandRunner({ log }), letter) : null
  return { discarded: await discardDeadLetter(pool, letter.id, note), position }
}
