import { type TObject, Type } from '@sinclair/typebox'
import { ContactEventData, ContactUnsubscribedData, CustomEventData, ListEventData } from './contact-event-data.ts'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { oneOf, Uuid } from './kinds.ts'
import {
  CampaignSentData,
  EmailClickedData,
  EmailOpenedData,
  MessageOutcomeData,
  SmsDeliveredData,
  SmsFailedData,
} from './message-event-data.ts'
import { LoyaltyEventData, OrderEventData, ReviewEventData } from './store-event-data.ts'

/** An event that webhooks deliver: its name, when it happens, and the body of a delivery. */
export type WebhookEvent = Readonly<{ name: string; when: string; delivery: TObject }>

const deliveryOf = (name: string, event: ReturnType<typeof Type.Unsafe<string>>, data: TObject): TObject =>
  described(Type.Object({ event, deliveryId: Uuid, data }), {
    name,
    about: 'The body of a delivery. Branch on `event`, and ignore keys that you do not know.',
    fields: {
      event: 'The name of the event.',
      deliveryId: 'The UUID of the delivery, the same at every attempt.',
      data: 'What happened.',
    },
  })

/** The events of a group share the body of their deliveries; `name` is that of the group. */
const group = (name: string, data: TObject, events: Readonly<Record<string, string>>): readonly WebhookEvent[] => {
  const names = named(`${name}EventName`, oneOf(...Object.keys(events)), 'The names of the events of this group.')
  const delivery = deliveryOf(`${name}Delivery`, names, data)
  return Object.entries(events).map(([event, when]) => ({
    name: event,
    when,
    delivery: { ...delivery, examples: [{ event, deliveryId: exampleIds.delivery, data: data.examples?.[0] }] },
  }))
}

/** The built-in events in the order of the catalogue (N477). */
export const catalogueEvents: readonly WebhookEvent[] = [
  ...group('Order', OrderEventData, {
    'order.completed': 'An order was placed or paid.',
    'order.refunded': 'An order was refunded, in full or in part.',
    'order.fulfilled': 'All lines of an order were fulfilled.',
    'order.partially_fulfilled': 'Some lines of an order were fulfilled.',
    'order.cancelled': 'An order was cancelled.',
    'shipment.confirmed': 'A shipment was handed to the carrier.',
    'shipment.out_for_delivery': 'A shipment is out for delivery.',
    'shipment.delivered': 'A shipment was delivered.',
    'checkout.started': 'A checkout was started.',
    'cart.abandoned': 'A cart was left alone for an hour.',
  }),
  ...group('Contact', ContactEventData, {
    'contact.created': 'A contact was created, in any way.',
    'contact.updated': 'A field, tag, property or consent of a contact changed.',
  }),
  ...group('ContactUnsubscribed', ContactUnsubscribedData, { 'contact.unsubscribed': 'A contact left a channel.' }),
  ...group('List', ListEventData, {
    'list.subscribed': 'A contact was added to a static list.',
    'list.unsubscribed': 'A contact was removed from a static list.',
  }),
  ...group('CampaignSent', CampaignSentData, { 'campaign.sent': 'A message of a campaign was sent to a contact.' }),
  ...group('EmailOpened', EmailOpenedData, { 'email.opened': 'A tracked mail was opened for the first time.' }),
  ...group('EmailClicked', EmailClickedData, { 'email.clicked': 'A link of a tracked mail was followed.' }),
  ...group('SmsDelivered', SmsDeliveredData, { 'sms.delivered': 'A text message was delivered.' }),
  ...group('SmsFailed', SmsFailedData, { 'sms.failed': 'A text message failed.' }),
  ...group('Review', ReviewEventData, {
    'review.request_ready': 'It is time to ask for a review.',
    'review.submitted': 'A review was submitted.',
    'review.question': 'A question was asked.',
    'review.answer': 'A question was answered.',
  }),
  ...group('Loyalty', LoyaltyEventData, {
    'loyalty.points_earned': 'A contact earned points.',
    'loyalty.points_expiring': 'Points of a contact will expire.',
    'loyalty.tier_changed': 'A contact moved to another tier.',
    'loyalty.redemption': 'A contact redeemed a reward.',
    'loyalty.referral': 'A contact referred somebody.',
  }),
]

/** The events of single messages that the catalogue does not have (M64). */
const messageEvents = group('MessageOutcome', MessageOutcomeData, {
  'email.sent': 'The provider took a mail.',
  'email.delivered': 'A mail was delivered.',
  'email.bounced': 'A mail bounced.',
  'email.complained': 'The recipient called a mail spam.',
  'email.failed': 'A mail was not sent.',
  'email.suppressed': 'A mail was not sent, because its recipient is suppressed.',
  'sms.sent': 'The provider took a text message.',
  'sms.bounced': 'A text message bounced.',
  'sms.complained': 'The recipient complained of a text message.',
  'sms.suppressed': 'A text message was not sent, because its recipient is suppressed.',
  'push.sent': 'The push services took a notification.',
  'push.delivered': 'A notification was delivered.',
  'push.bounced': 'A notification bounced.',
  'push.complained': 'The recipient complained of a notification.',
  'push.failed': 'A notification was not sent.',
  'push.suppressed': 'A notification was not sent, because its recipient is suppressed.',
})

/** All events: those of the catalogue, those of single messages, and last the custom ones, whose name is the client's own (N477). */
export const webhookEvents: readonly WebhookEvent[] = [
  ...catalogueEvents,
  ...messageEvents,
  {
    name: 'custom',
    when: 'A custom event was ingested. It is delivered under its own name.',
    delivery: {
      ...deliveryOf('CustomDelivery', Type.Unsafe<string>({ type: 'string' }), CustomEventData),
      examples: [{ event: 'wishlist.added', deliveryId: exampleIds.delivery, data: CustomEventData.examples?.[0] }],
    },
  },
]
