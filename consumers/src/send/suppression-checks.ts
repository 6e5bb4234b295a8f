import type { FailureReason, MessageCommand, SuppressionReason } from '@tidings/domain'
import type { SenderStatus } from '../views/workspace-view.ts'

/** The only suppressions that stop a transactional message, in the order in which one is named (contract: Transactional messages). */
const BLOCKING = ['hard_bounce', 'invalid_address', 'global_blocklist'] as const satisfies readonly SuppressionReason[]

type Suppressible = Readonly<{
  exists: boolean
  emailSuppressions: readonly SuppressionReason[]
  smsSuppressions: readonly SuppressionReason[]
}>
type Blocked = Extract<MessageCommand, { type: 'RecordFailed' | 'RecordSuppressed' }>

const LISTED = 'The domain of the sender address is on a public blocklist.'

const failed = (reason: FailureReason, detail: string | null = null): Blocked => ({ type: 'RecordFailed', data: { reason, detail } })

const suppressedFor = (reasons: readonly SuppressionReason[]): Blocked | null => {
  const reason = BLOCKING.find((blocking) => reasons.includes(blocking))
  return reason === undefined ? null : { type: 'RecordSuppressed', data: { reason } }
}

/** What keeps a queued email of any kind from being sent, as the command that records it; null when nothing does. */
export function blockedBy(recipient: Suppressible, sender: Exclude<SenderStatus, 'suspended'>): MessageCommand | null {
  if (sender === 'closed' || !recipient.exists) return failed('undeliverable')
  const suppressed = suppressedFor(recipient.emailSuppressions)
  if (suppressed !== null || sender === 'verified') return suppressed
  return failed('from_domain_not_verified', sender === 'blocklisted' ? LISTED : null)
}

/** The same for a text message. `isApproved`: its sender ID may be used. */
export function smsBlockedBy(
  recipient: Suppressible,
  { isClosed, isApproved }: Readonly<{ isClosed: boolean; isApproved: boolean }>,
): MessageCommand | null {
  if (isClosed || !recipient.exists) return failed('undeliverable')
  return suppressedFor(recipient.smsSuppressions) ?? (isApproved ? null : failed('sender_id_not_approved'))
}
