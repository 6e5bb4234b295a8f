import { type DomainEvent, eventDeclarations } from '@tidings/domain'
import { events as sentences } from './event-sentences.ts'
import { type EventData, eventTypes } from './event-types.ts'
import { type JsonSchema, schemaOf } from './json-schema.ts'

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

/** The event as a reader gets it: an encrypted field is null once its person is erased. */
const withEncrypted = (schema: JsonSchema, fields: readonly string[]): JsonSchema => {
  if (!isObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([field, value]) => {
    if (!fields.includes(field)) return [field, value]
    const parts = isObject(value) && Array.isArray(value.anyOf) ? (value.anyOf as readonly unknown[]) : [value]
    const hasNull = parts.some((part) => isObject(part) && part.type === 'null')
    return [field, { anyOf: hasNull ? parts : [...parts, { type: 'null' }], 'x-encrypted': true }]
  })
  return { ...schema, properties: Object.fromEntries(properties) as JsonSchema }
}

const oneEvent = (type: DomainEvent['type'], { checker, type: data }: EventData): JsonSchema => ({
  title: type,
  description: sentences[type],
  'x-version': eventDeclarations[type]?.version,
  type: 'object',
  properties: { type: { const: type }, data: withEncrypted(schemaOf(checker, data), eventDeclarations[type]?.personal?.fields ?? []) },
  required: ['type', 'data'],
})

/** Every event type in today's shape, as one JSON Schema. */
export function eventsSchema(): string {
  const types = (Object.keys(sentences) as readonly DomainEvent['type'][]).toSorted()
  const known = eventTypes()
  const definitions = types.map((type) => {
    const data = known.get(type)
    if (data === undefined) throw new Error(`${type} is not a DomainEvent`)
    return [type, oneEvent(type, data)] as const
  })
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Events of Tidings',
    description: 'Type and data of every event, as readers get them: decrypted, in the shape of the version in x-version.',
    oneOf: types.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(definitions),
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}
