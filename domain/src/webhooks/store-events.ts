import { ownValue } from '../values.ts'
import type { WebhookEventName } from './webhook-names.ts'

const order = ['externalId', 'orderId', 'amount', 'currency'] as const
const review = ['vendor', 'rating', 'productId', 'published', 'orderId'] as const
const loyalty = ['vendor', 'points', 'tier', 'rewardCode'] as const

/** The built-in events that come from stores, reviews and loyalty programmes, and the keys of their data (contract: Webhook deliveries; N477). */
export const STORE_EVENT_KEYS = {
  'order.completed': order,
  'order.refunded': order,
  'order.fulfilled': order,
  'order.partially_fulfilled': order,
  'order.cancelled': order,
  'shipment.confirmed': order,
  'shipment.out_for_delivery': order,
  'shipment.delivered': order,
  'checkout.started': order,
  'cart.abandoned': order,
  'review.request_ready': review,
  'review.submitted': review,
  'review.question': review,
  'review.answer': review,
  'loyalty.points_earned': loyalty,
  'loyalty.points_expiring': loyalty,
  'loyalty.tier_changed': loyalty,
  'loyalty.redemption': loyalty,
  'loyalty.referral': loyalty,
} as const satisfies Partial<Record<WebhookEventName, readonly string[]>>

export type StoreEventName = keyof typeof STORE_EVENT_KEYS

export function isStoreEventName(name: string): name is StoreEventName {
  return ownValue<readonly string[]>(STORE_EVENT_KEYS, name) !== undefined
}
