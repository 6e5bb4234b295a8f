import type { MessageCommand, SuppressionReason } from '@tidings/domain'
import type { Recipient } from '../views/recipient-view.ts'
import type { SenderStatus } from '../views/workspace-view.ts'

/** The only suppressions that stop a transactional message, in the order in which one is named (contract: Transactional messages). */
const BLOCKING = ['hard_bounce', 'invalid_address', 'global_blocklist'] as const satisfies readonly SuppressionReason[]

/** What keeps a queued transactional email from being sent, as the command that records it; null when nothing does. */
export function blockedBy(recipient: Recipient, sender: Exclude<SenderStatus, 'suspended'>): MessageCommand | null {
  if (sender === 'closed') return { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }
  if (!recipient.exists) return { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }
  const reason = BLOCKING.find((blocking) => recipient.emailSuppressions.includes(blocking))
  if (reason !== undefined) return { type: 'RecordSuppressed', data: { reason } }
  if (sender === 'unverified') return { type: 'RecordFailed', data: { reason: 'from_domain_not_verified', detail: null } }
  return null
}
