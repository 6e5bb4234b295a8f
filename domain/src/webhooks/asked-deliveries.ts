/** The name that a test delivery has. It stands outside every catalogue: a test goes to its endpoint whatever that subscribes to. */
export const TEST_EVENT = 'webhook.test'

/**
 * What a delivery is made from. `event`: an event of the log, because an endpoint wants it. `again`: the same, because a person asked for it once more.
 * `test`: nothing but a person's wish.
 */
export type DeliveryOrigin = Readonly<{ kind: 'event' | 'again'; source: string }> | Readonly<{ kind: 'test'; testId: string }>

const AGAIN = 'again:'
const TEST = 'test@'

/** How a delivery that waits says what it is made from. No stream begins with one of these words. */
export function originText(origin: DeliveryOrigin): string {
  if (origin.kind === 'test') return `${TEST}${origin.testId}`
  return origin.kind === 'again' ? `${AGAIN}${origin.source}` : origin.source
}

export function originOf(text: string): DeliveryOrigin {
  if (text.startsWith(TEST)) return { kind: 'test', testId: text.slice(TEST.length) }
  return text.startsWith(AGAIN) ? { kind: 'again', source: text.slice(AGAIN.length) } : { kind: 'event', source: text }
}

/** What the log made the delivery from, also where a person asked for it again. A test is made from itself. */
export function causeText(text: string): string {
  const origin = originOf(text)
  return origin.kind === 'test' ? text : origin.source
}
