import { isBuiltIn, type Profile, Tidings, type WebhookEvent } from '../../clients/typescript/src/index.ts'

// Compiled with everything else, never run: each marked line is an error, or the mark itself is one.

/** What the compiler refuses of a call. */
export async function refused(tidings: Tidings): Promise<void> {
  // @ts-expect-error the route has `fromEmail`
  await tidings.messages.sendEmail({ to: 'ada@example.com', fromMail: 'hello@demo.example' })
  // @ts-expect-error `fromEmail` is required
  await tidings.messages.sendEmail({ to: 'ada@example.com' })
  // @ts-expect-error a state of consent is one of four
  await tidings.profiles.upsert({ email: 'ada@example.com', emailConsent: 'yes' })
  // @ts-expect-error the query has no `segment`
  await tidings.profiles.list({ segment: 'vip' })
  // @ts-expect-error the email is required
  await tidings.profiles.lookup({})
  // @ts-expect-error messages have no filter
  tidings.messages.each({ status: 'sent' })
  // @ts-expect-error a read has no `Idempotency-Key`
  await tidings.me({ idempotencyKey: 'k' })
  // @ts-expect-error a key does not open it
  await tidings.storeEvents.report({ event: 'order.completed' })
  // @ts-expect-error a status is one of eight
  if ((await tidings.messages.get('m-1')).status === 'opened') throw new Error()
  // @ts-expect-error a workspace is needed
  new Tidings({ url: 'http://127.0.0.1:3000', key: 'sk_evt_' })
}

/** An event of one's own may have any name, so that a name alone says nothing. */
export function emailOf(event: WebhookEvent): string | null {
  // @ts-expect-error an event of one's own has another `data`
  return event.event === 'contact.created' ? event.data.email : null
}

/** What follows from the name of an event. */
export function dataOfEvent(event: WebhookEvent): string | null {
  if (!isBuiltIn(event)) return typeof event.data.properties.sku === 'string' ? event.data.properties.sku : null
  switch (event.event) {
    case 'contact.created':
      return event.data.email
    case 'list.subscribed':
      return event.data.listName
    case 'order.completed':
      // @ts-expect-error an order has no email
      return event.data.email
    default:
      return event.data.occurredAt
  }
}

/** A record as its reader sees it: what may be missing is null. */
export function shownName({ firstName, email }: Profile): string {
  // @ts-expect-error both may be null
  const text: string = firstName ?? email
  return text
}
