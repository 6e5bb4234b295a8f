import { unlessAborted } from '@tidings/async'
import { Fenced } from '@tidings/leases'

/** The reader was told to stop while it waited for a log that is away: what it had in hand was not written. */
export class ToldToStop extends Fenced {
  constructor() {
    super('told to stop while the log was asked')
  }
}

/** What the log answers; throws `ToldToStop` as soon as the signal comes, because a log that is away is asked with more patience than a stop has. */
export async function unlessStopped<Answer>(asking: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const answer = await unlessAborted(asking, signal)
  if (answer === null) throw new ToldToStop()
  return answer
}
