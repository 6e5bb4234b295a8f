/** The built-in webhook events, in the order of the catalog (contract: Webhook deliveries). */
export const WEBHOOK_EVENTS = [
  'order.completed',
  'order.refunded',
  'order.fulfilled',
  'order.partially_fulfilled',
  'order.cancelled',
  'shipment.confirmed',
  'shipment.out_for_delivery',
  'shipment.delivered',
  'checkout.started',
  'cart.abandoned',
  'contact.created',
  'contact.updated',
  'contact.unsubscribed',
  'list.subscribed',
  'list.unsubscribed',
  'campaign.sent',
  'email.opened',
  'email.clicked',
  'sms.delivered',
  'sms.failed',
  'review.request_ready',
  'review.submitted',
  'review.question',
  'review.answer',
  'loyalty.points_earned',
  'loyalty.points_expiring',
  'loyalty.tier_changed',
  'loyalty.redemption',
  'loyalty.referral',
] as const

export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number]

const MESSAGE_OUTCOMES = ['sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'] as const

export type MessageOutcomeName = (typeof MESSAGE_OUTCOMES)[number]
type ReportedChannel = 'email' | 'sms' | 'push'
export type MessageEventName = `${ReportedChannel}.${MessageOutcomeName}`

const eachOutcome = <Channel extends ReportedChannel>(channel: Channel) =>
  MESSAGE_OUTCOMES.map((outcome) => `${channel}.${outcome}` as const)

/** The events of single messages (M64). They stand outside the catalogue, but for the two of it that say the same: `sms.delivered` and `sms.failed`. */
export const MESSAGE_EVENTS: readonly MessageEventName[] = [...eachOutcome('email'), ...eachOutcome('sms'), ...eachOutcome('push')]
