import type { ConsentChannel, ConsentStatus, SuppressionReason } from '../contact/contact.events.ts'

/** The facts of a contact that count; push has no suppressions of the contact. */
type Refusing = Readonly<{
  emailSuppressions: readonly SuppressionReason[]
  smsSuppressions: readonly SuppressionReason[]
  consents: Readonly<Record<ConsentChannel, ConsentStatus>>
}>

export type MarketingRefusal =
  | Readonly<{ outcome: 'suppressed'; reason: SuppressionReason }>
  | Readonly<{ outcome: 'skipped'; reason: 'no_consent' }>

/** The reason for which a contact gets no marketing on a channel: any suppression of it, or a consent that is not `subscribed` (M10, D12). */
export function marketingRefusal(
  channel: ConsentChannel,
  { emailSuppressions, smsSuppressions, consents }: Refusing,
): MarketingRefusal | null {
  const [suppression] = { email: emailSuppressions, sms: smsSuppressions, push: [] }[channel]
  if (suppression !== undefined) return { outcome: 'suppressed', reason: suppression }
  return consents[channel] === 'subscribed' ? null : { outcome: 'skipped', reason: 'no_consent' }
}
