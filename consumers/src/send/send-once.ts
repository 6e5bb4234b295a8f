import type { EventLog } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import { DeliveryError, type SendOptions, type TakenMessage } from '@tidings/providers'
import type { Attempt } from './begin-attempt.ts'
import { callProvider, type Gate, GateClosed } from './call-provider.ts'
import { whileKept } from './end-attempt.ts'
import type { MessageHistory } from './history.ts'
import { recordOutcome } from './record-outcome.ts'
import { DURING_OUTAGE, untilAnswered } from './retries.ts'

/**
 * `unconfirmedMs`: after how long a message that may have been taken is sent once more. `onResult` hears how each provider call ended, for
 * metrics. `afterFailure`: what any failure leads to but an outage and the first missing answer.
 */
export type Calls = Readonly<{
  log: EventLog
  provider: Readonly<{ name: string; callMs: number }>
  unconfirmedMs: number
  onResult?: ((result: 'accepted' | DeliveryError['failure'], ms: number) => void) | undefined
  afterFailure: (error: DeliveryError, attempt: number) => Deferral | MessageCommand
}>

type Call = (options: SendOptions) => Promise<TakenMessage>

/** One call of the provider for one message, and what follows from it: another try, or the outcome; the verdict of a gate that was closed then. */
export async function sendOnce(
  calls: Calls,
  history: MessageHistory,
  atWork: Attempt & Readonly<{ call: Call; gate: Gate }>,
): Promise<Deferral | MessageCommand> {
  const { log, provider, onResult, afterFailure } = calls
  const { job, lease, signal, call, gate } = atWork
  // This happens even if another worker has the job by now: the message may have left.
  const recording = { log, signal, lost: () => false }
  const inDoubt = async (): Promise<void> => {
    await recordOutcome(recording, history, { type: 'RecordUnconfirmed', data: { provider: provider.name } })
  }
  const started = performance.now()
  try {
    const calling = { lease, signal, callMs: provider.callMs, inDoubt, priority: history.accepted.data.kind, gate }
    const taken = await callProvider(calling, call)
    onResult?.('accepted', performance.now() - started)
    return { type: 'RecordSent', data: { provider: provider.name, ...taken } }
  } catch (error) {
    if (error instanceof GateClosed) return error.block
    if (!(error instanceof DeliveryError)) throw error
    onResult?.(error.failure, performance.now() - started)
    if (error.failure === 'outage') return DURING_OUTAGE
    if (error.failure !== 'unconfirmed' || history.state.unconfirmed) return afterFailure(error, job.attempt)
    try {
      await whileKept(lease, inDoubt)
    } catch (fault) {
      // The log was away until we were stopped: then the inbox alone says that the message waits.
      if (!signal.aborted) throw fault
    }
    return untilAnswered(calls.unconfirmedMs)
  }
}
