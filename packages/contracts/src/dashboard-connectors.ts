import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import { IdParams, nameText, Uuid } from './kinds.ts'

// Connectors of shops, as the dashboard shows and makes them.

export const ConnectorParams = IdParams

const connector = { id: Uuid, name: Type.String(), etag: Type.String() }
const sentences = {
  id: 'The UUID of the connector.',
  name: 'What it is called, for good.',
  etag: 'What `If-Match` of a change must say.',
} as const

const ShownConnector = described(Type.Object(connector), {
  name: 'ShownConnector',
  about: 'What reports events of a shop.',
  fields: sentences,
})

export const ShownConnectors = described(Type.Object({ items: Type.Array(ShownConnector), address: Type.String() }), {
  name: 'ShownConnectors',
  about: 'The connectors of the workspace.',
  fields: { items: 'In the order in which they came.', address: 'The address that each of them calls.' },
})
export type ShownConnectors = Static<typeof ShownConnectors>

export const ConnectorWithSecret = described(Type.Object({ ...connector, secret: Type.String() }), {
  name: 'ConnectorWithSecret',
  about: 'A connector with its new secret, which is in no other answer.',
  fields: { ...sentences, secret: 'What it sends as `X-Connector-Secret`.' },
  example: { id: exampleIds.field, name: 'Shop', etag: '0'.repeat(64), secret: '0123456789abcdef'.repeat(4) },
})
export type ConnectorWithSecret = Static<typeof ConnectorWithSecret>

export const NewConnectorBody = described(Type.Object({ name: nameText(255) }), {
  name: 'NewConnectorBody',
  about: 'A new connector.',
  fields: { name: 'What it is called, for good.' },
  example: { name: 'Shop' },
})
