import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { IdParams, nameText, nullableOneOf, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'

// The events of a workspace, as the dashboard shows and declares them.

const PropertyKind = nullableOneOf('text', 'number', 'boolean', 'time', 'id', 'other')

const EventProperty = described(Type.Object({ name: Type.String(), kind: PropertyKind }), {
  name: 'EventProperty',
  about: 'A property of an event.',
  fields: {
    name: 'The name of the property.',
    kind: "What it holds, of a built-in event; null of any other, whose values are its reporter's own.",
  },
})
export type EventProperty = Static<typeof EventProperty>

const Listener = described(Type.Object({ id: Uuid, name: nullableText() }), {
  name: 'EventListener',
  about: 'A webhook, a flow or a list that an event concerns.',
  fields: { id: 'The UUID of the record.', name: 'What it is called; null where it has no name.' },
})

const CataloguedEvent = described(
  Type.Object({
    id: nullableText({ format: 'uuid' }),
    name: Type.String(),
    label: Type.String(),
    kind: named('CataloguedEventKind', oneOf('built_in', 'declared', 'observed'), 'Where the catalogue has an event from.'),
    retired: Type.Boolean(),
    properties: Type.Array(EventProperty),
    webhooks: Type.Array(Listener),
    flows: Type.Array(Listener),
    lists: Type.Array(Listener),
  }),
  {
    name: 'CataloguedEvent',
    about: 'An event of the workspace, with who listens to it.',
    fields: {
      id: 'The UUID of the declaration; null where there is none.',
      name: 'The name of the event.',
      label: 'What a person reads: the name, where nothing else was declared.',
      kind: '`built_in`, `declared`, or `observed`: reported without a declaration.',
      retired: 'Whether it was declared and retired: the public catalogue has it no more.',
      properties: 'Those that are declared, then those that were reported.',
      webhooks: 'The endpoints that subscribed its name. None for members, who see no endpoints.',
      flows: 'The flows that it lets contacts into.',
      lists: 'The dynamic lists whose rules read it.',
    },
  },
)
export type CataloguedEvent = Static<typeof CataloguedEvent>

export const EventCatalogue = described(Type.Object({ items: Type.Array(CataloguedEvent), everyEvent: Type.Array(Listener) }), {
  name: 'EventCatalogue',
  about: 'The events of the workspace.',
  fields: {
    items: 'The built-in events, then the others by name: of the declared ones at most 1 000, of the observed ones as well.',
    everyEvent: 'The webhook endpoints that every event is delivered to. None for members.',
  },
})
export type EventCatalogue = Static<typeof EventCatalogue>

export const CustomEventParams = IdParams

const declared = { label: Type.String(), propertyNames: Type.Array(Type.String()), retired: Type.Boolean() }
const sentences = {
  label: 'What a person reads.',
  propertyNames: 'The names of its properties, each once.',
  retired: 'Whether the catalogue leaves it out. It can be reported all the same.',
} as const

export const ShownCustomEvent = described(
  Type.Object({ id: Uuid, name: Type.String(), ...declared, updatedAt: Timestamp, etag: Type.String() }),
  {
    name: 'ShownCustomEvent',
    about: 'A custom event that is declared.',
    fields: {
      id: 'The UUID of the declaration.',
      name: 'The name by which it is reported, which never changes.',
      ...sentences,
      updatedAt: 'When it was changed last.',
      etag: 'What `If-Match` of a change must say.',
    },
    example: {
      ...{ id: exampleIds.field, name: 'wishlist.added', label: 'Put onto the wish list', propertyNames: ['sku'], retired: false },
      ...{ updatedAt: exampleTime, etag: '0'.repeat(64) },
    },
  },
)
export type ShownCustomEvent = Static<typeof ShownCustomEvent>

const settings = { label: nameText(255), propertyNames: Type.Array(nameText(128), { maxItems: 500 }) }

export const NewCustomEventBody = described(Type.Object({ name: nameText(128), ...settings }), {
  name: 'NewCustomEventBody',
  about: 'A custom event to declare.',
  fields: { name: 'The name by which it is reported, for good.', label: sentences.label, propertyNames: sentences.propertyNames },
  example: { name: 'wishlist.added', label: 'Put onto the wish list', propertyNames: ['sku'] },
})

export const EditCustomEventBody = described(Type.Object({ ...settings, retired: Type.Boolean() }), {
  name: 'EditCustomEventBody',
  about: 'What a declared event is from now on.',
  fields: sentences,
  example: { label: 'Put onto the wish list', propertyNames: ['sku', 'price'], retired: false },
})
