import { webhookEvents } from '@tidings/contracts'
import type { Json, SchemaComponents } from './schema-components.ts'

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } })

const parameters = [
  header('X-Sender-Event', "The body's `event`; percent-encoded where a header cannot carry it."),
  header('X-Sender-Delivery', "The body's `deliveryId`, the same at every attempt."),
  header(
    'X-Sender-Signature',
    '`sha256=` and the lowercase hex of HMAC-SHA256 over the raw bytes of the body, keyed by the signing secret.',
  ),
]

const responses = { '2XX': { description: 'Taken. Any other answer, and one after 10 seconds, is a failure.' } }

/** Copies the schema without the symbols of TypeBox. */
const plain = (schema: object): Json => structuredClone(schema) as Json

const operationId = (event: string): string => `deliver.${event}`

const body = (schema: Json, example: unknown): Json => ({ required: true, content: { 'application/json': { schema, example } } })

/**
 * What an endpoint receives. `webhooks`: the section of the document, by event. `callbacks`: the same of the operation that creates an endpoint,
 * where every delivery is one of `WebhookDelivery`: generators that leave out what no path leads to keep these schemas (M70).
 */
export function describeDeliveries({ publish }: SchemaComponents): Readonly<{ webhooks: Json; callbacks: Json; schemas: Json }> {
  const deliveries = webhookEvents.map(({ name, when, delivery: { examples, ...schema } }) => ({
    name,
    when,
    example: examples?.[0],
    reference: publish(plain(schema)),
  }))
  const webhooks = deliveries.map(({ name, when, example, reference }) => [
    name,
    {
      post: {
        operationId: operationId(name),
        summary: when,
        tags: ['webhooks'],
        parameters,
        requestBody: body(reference, example),
        responses,
      },
    },
  ])
  const anyOf = [...new Map(deliveries.map(({ reference }) => [reference.$ref, reference])).values()]
  const post = {
    operationId: operationId('any'),
    summary: 'An event that the endpoint subscribed happened.',
    tags: ['webhooks'],
    parameters,
    requestBody: body({ $ref: '#/components/schemas/WebhookDelivery' }, deliveries[0]?.example),
    responses,
  }
  return {
    webhooks: Object.fromEntries(webhooks),
    callbacks: { delivery: { '{$request.body#/url}': { post } } },
    schemas: { WebhookDelivery: { description: 'The body of any delivery; the section `webhooks` says which event has which.', anyOf } },
  }
}
