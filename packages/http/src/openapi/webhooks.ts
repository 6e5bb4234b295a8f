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

/** Copies the schema without the symbols of TypeBox. */
const plain = (schema: object): Json => structuredClone(schema) as Json

const operationId = (event: string): string => `deliver.${event}`

/** The section `webhooks` of the document: what an endpoint receives for each event. */
export function webhooksSection({ publish }: SchemaComponents): Json {
  return Object.fromEntries(
    webhookEvents.map(({ name, when, delivery: { examples, ...schema } }) => [
      name,
      {
        post: {
          operationId: operationId(name),
          summary: when,
          tags: ['webhooks'],
          parameters,
          requestBody: { required: true, content: { 'application/json': { schema: publish(plain(schema)), example: examples?.[0] } } },
          responses: { '2XX': { description: 'Taken. Any other answer, and one after 10 seconds, is a failure.' } },
        },
      },
    ]),
  )
}
