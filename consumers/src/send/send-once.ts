import type { EventLog } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import { DeliveryError, type SendOptions, type TakenMessage } from '@tidings/providers'
import type { Attempt } from './begin-attempt.ts'
import { callProvider, type Gate, GateClosed } from './call-provider.ts'
import { whileKept } from './end-attempt.ts'
import type { MessageHistory } from './history.ts'
import { recordProviderCall } from './record-attempts.ts'
import { recordOutcome } from './record-outcome.ts'
import { notHandedOver, untilAnswered, untilRecovered } from './retries.ts'

export type OnResult = (result: 'accepted' | DeliveryError['failure'], ms: number, provider: string) => void

/**
 * `unconfirmedMs`: after how long a message that may have been taken is sent once more. `onResult` hears how each call of a provider ended, and of which, for
 * metrics. `afterFailure`: what any failure leads to but an outage and the first missing answer.
 */
export type Calls = Readonly<{
  log: EventLog
  provider: Readonly<{ name: string; callMs: number; outage: () => string | null }>
  unconfirmedMs: number
  onResult?: OnResult | undefined
  afterFailure: (error: DeliveryError, attempt: number) => Deferral | MessageCommand
}>

type Call = (options: SendOptions) => Promise<TakenMessage>

/**
 * One call of the provider for one message, and what follows from it: another try, or the outcome; the verdict of a gate that was closed then. A message that
 * an earlier call may have handed over goes to the provider of that call alone (M68).
 */
export async function sendOnce(
  calls: Calls,
  history: MessageHistory,
  atWork: Attempt & Readonly<{ call: Call; gate: Gate }>,
): Promise<Deferral | MessageCommand> {
  const { log, provider, onResult, afterFailure } = calls
  const { job, lease, signal, call, gate } = atWork
  const boundTo = history.unconfirmedBy ?? job.handedTo ?? null
  let [asked, started] = [boundTo ?? provider.name, performance.now()]
  let isChosen = false
  const ended = (result: 'accepted' | DeliveryError['failure']): void => onResult?.(result, performance.now() - started, asked)
  const onChosen = (label: string): void => {
    // The one before it cannot be used.
    if (isChosen) ended('outage')
    isChosen = true
    asked = label
    started = performance.now()
  }
  // This happens even if another worker has the job by now: the message may have left.
  const recording = { log, signal, lost: () => false }
  const inDoubt = async (): Promise<void> => {
    await recordOutcome(recording, history, { type: 'RecordUnconfirmed', data: { provider: asked } })
  }
  const again = (next: Deferral | MessageCommand, isPartlyTaken = false): Deferral | MessageCommand =>
    next.type === 'Deferred' && !isPartlyTaken ? notHandedOver(next, boundTo) : next
  try {
    const calling = { lease, signal, callMs: provider.callMs, inDoubt, priority: history.accepted.data.kind, gate, boundTo, onChosen }
    const taken = await recordProviderCall(
      () => asked,
      () => callProvider(calling, call),
    )
    ended('accepted')
    return { type: 'RecordSent', data: { provider: asked, ...taken } }
  } catch (error) {
    if (error instanceof GateClosed) return again(error.block)
    if (!(error instanceof DeliveryError)) throw error
    ended(error.failure)
    if (error.failure === 'outage') return again(untilRecovered(provider, boundTo))
    if (error.failure !== 'unconfirmed' || history.state.unconfirmed) return again(afterFailure(error, job.attempt), error.isPartlyTaken)
    try {
      await whileKept(lease, inDoubt)
    } catch (fault) {
      // The log was away until we were stopped: then the inbox alone says that the message waits.
      if (!signal.aborted) throw fault
    }
    return untilAnswered(calls.unconfirmedMs)
  }
}
