import { asEndpointId, type WebhooksEvent } from '@tidings/domain'
import fc from 'fast-check'
import { maybe, words } from './arbitraries.ts'

const endpoint = fc.record({
  endpointId: fc.uuid().map(asEndpointId),
  url: fc.webUrl(),
  label: maybe(words),
  events: fc.uniqueArray(fc.constantFrom('*', 'contact.created', 'order.placed'), { minLength: 1 }),
  signingSecret: fc.constant('ab'.repeat(32)),
})

const endpointLife = fc
  .tuple(endpoint, fc.constantFrom<readonly WebhooksEvent['type'][]>([], ['WebhookEndpointPaused', 'WebhookEndpointResumed']), fc.boolean())
  .map(([data, moves, deleted]): readonly WebhooksEvent[] => {
    const { endpointId } = data
    const later = [...moves, ...(deleted ? ['WebhookEndpointDeleted' as const] : [])]
    return [{ type: 'WebhookEndpointCreated', data }, ...later.map((type) => ({ type, data: { endpointId } }) as WebhooksEvent)]
  })

/** The webhook endpoints of one workspace. */
export const webhooksLife: fc.Arbitrary<readonly WebhooksEvent[]> = fc.array(endpointLife, { maxLength: 3 }).map((all) => all.flat())
