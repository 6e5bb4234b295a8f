import { type MessageCommand, singleLine } from '@tidings/domain'
import type { Deferral, Job, Lease } from '@tidings/jobs'
import { DeliveryError, type EmailProvider, type SendOptions } from '@tidings/providers'
import { callProvider, type Gate, GateClosed } from './call-provider.ts'
import { notHandedOver, retryAfter, untilAnswered, untilRecovered } from './retries.ts'

/** How mails of the service itself are sent. `from`: the operator's own address, whose reputation is no workspace's to use. `now`: ISO. */
export type OwnMails = Readonly<{
  provider: EmailProvider
  from: string
  retryDelaysMs: readonly number[]
  unconfirmedMs: number
  now: () => string
}>

/** What closes the gate of a mail that is not wanted any more: it is recorded nowhere. */
export const NOT_WANTED: MessageCommand = { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }
export const WHILE_SUSPENDED: Deferral = { type: 'Deferred', inMs: 300_000, counts: false, deferredFor: 'workspace_suspended' }

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The name of a workspace, which may be anything, as it stands in such a mail: one line that cannot turn what stands beside it. */
export function nameInMail(name: string): string {
  return [...singleLine(name).replace(DIRECTION_MARKS, '').trim()].slice(0, 100).join('')
}

/** `send` hands the mail over, the same at every attempt but for its secrets. */
type Sending = Readonly<{ job: Job; lease: Lease; signal: AbortSignal; gate: Gate; send: (options: SendOptions) => Promise<unknown> }>

/** How a mail of the service ended; null where it is not wanted any more. */
type Ended = 'sent' | 'bounced' | 'refused' | 'unavailable' | null

/** One try of a mail that no message of a workspace stands for. A crash between the provider's yes and what is recorded of it sends it again. */
export async function sendOwnMail(mails: OwnMails, { job, lease, signal, gate, send }: Sending): Promise<Deferral | Ended> {
  const { provider } = mails
  const boundTo = job.handedTo ?? null
  const priority = 'transactional' as const
  try {
    await callProvider({ lease, signal, callMs: provider.callMs, inDoubt: async () => undefined, priority, gate, boundTo }, send)
    return 'sent'
  } catch (error) {
    if (error instanceof GateClosed) return error.block.type === 'Deferred' ? notHandedOver(error.block, boundTo) : null
    if (!(error instanceof DeliveryError)) throw error
    if (error.failure === 'outage') return notHandedOver(untilRecovered(provider, boundTo), boundTo)
    const next = afterFailure(mails, error, job.attempt)
    return typeof next === 'string' || error.failure === 'unconfirmed' ? next : notHandedOver(next, boundTo)
  }
}

/** A mail that may have been taken is sent once more; whether it arrived then, a click says. */
const afterFailure = ({ unconfirmedMs, retryDelaysMs }: OwnMails, { failure, saidByReceiver }: DeliveryError, attempt: number) => {
  if (failure === 'recipient') return 'bounced'
  if (failure === 'refused') return 'refused'
  if (failure === 'unconfirmed') return attempt === 0 ? untilAnswered(unconfirmedMs) : 'sent'
  return retryAfter(attempt, retryDelaysMs) ?? (saidByReceiver ? 'bounced' : 'unavailable')
}
