import { unlessAborted } from '@tidings/async'
import { Fenced } from '@tidings/jobs'

/** The stop came while the log was read: nothing of the running batch was written. */
class ReadCancelled extends Fenced {
  constructor() {
    super('stopped while the log was read')
  }
}

/** The result of a read of the log; throws `ReadCancelled` as soon as the signal aborts, because a read retries for longer than a stop may take. */
export async function unlessStopped<Answer>(read: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const answer = await unlessAborted(read, signal)
  if (answer === null) throw new ReadCancelled()
  return answer
}
