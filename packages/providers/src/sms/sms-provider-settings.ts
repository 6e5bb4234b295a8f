import type { Pool } from 'pg'
import type { InboundSms, PartReceipt, SubmittedSms } from './port.ts'

/**
 * `provider`: `outbox`, `twilio://SID:TOKEN@host[:port]?protocol=https` or `smpp://user:pass@host:port`. `connections` and `callMs` have the
 * provider's defaults. `onOutage` gets why nothing can leave, once when an outage begins, and null when it is over. `onSubmitted`, `onReceipt`
 * and `onInbound` are for a provider that reports over its own connection; one that posts to a route does not call them. `onWarning` gets a
 * sentence, without a number, about what the other side does wrong.
 */
export type SmsProviderSettings = Readonly<{
  provider: string
  publicUrl: string
  pool: Pool
  connections?: number
  callMs?: number
  onOutage?: (reason: string | null) => void
  onSubmitted?: (sms: SubmittedSms) => Promise<void>
  onReceipt?: (receipt: PartReceipt) => Promise<'taken' | 'unknown'>
  onInbound?: (sms: InboundSms) => Promise<void>
  onWarning?: (sentence: string) => void
}>
