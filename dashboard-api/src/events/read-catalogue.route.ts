import { EventCatalogue, type EventProperty, webhookEvents } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { listenersOf } from './listeners.ts'

const schema = {
  operationId: 'events.catalogue',
  summary: 'The events of the workspace, with their properties and who listens to them',
  tags: ['events'],
  response: { 200: EventCatalogue },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

/** A workspace file may declare more; observed names are never more. */
const SHOWN = 1_000

type Shape = Readonly<{ type?: string | readonly string[]; format?: string }>

const KINDS: Readonly<Record<string, EventProperty['kind']>> = { string: 'text', number: 'number', integer: 'number', boolean: 'boolean' }
const FORMATS: Readonly<Record<string, EventProperty['kind']>> = { uuid: 'id', 'date-time': 'time' }

const propertyOf = ([name, { type = '', format = '' }]: readonly [string, Shape]): EventProperty => {
  const [kind = ''] = [type].flat()
  return { name, kind: FORMATS[format] ?? KINDS[kind] ?? 'other' }
}

type Entry = Omit<EventCatalogue['items'][number], 'webhooks' | 'flows' | 'lists'>

/** Those of the catalogue and those of single messages, with what the body of a delivery has as `data`. */
const builtIn = webhookEvents
  .filter(({ name }) => name !== 'custom')
  .map(({ name, delivery }): Entry => {
    const data: Readonly<Record<string, Shape>> = delivery.properties.data?.properties ?? {}
    return { id: null, name, label: name, kind: 'built_in', retired: false, properties: Object.entries(data).map(propertyOf) }
  })

export function readCatalogue(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'pool'>): void {
  app.get('/events/catalogue', { schema, config }, async ({ tenant: { workspaceId }, user }) => {
    const own = forWorkspace(deps.db, workspaceId)
    const [declared, observed, listeners] = await Promise.all([
      own.customEvents().select(['id', 'name', 'label', 'properties', 'retired']).orderBy('name').limit(SHOWN).execute(),
      own.observedEvents().select(['name', 'properties']).orderBy('name').limit(SHOWN).execute(),
      listenersOf(deps, { workspaceId, seesWebhooks: user !== null && (user.actsAsOperator || user.role !== 'member') }),
    ])
    const items = [...builtIn, ...ownEvents(declared, observed)].map((entry) => ({
      ...entry,
      webhooks: [...(listeners.webhooks.get(entry.name) ?? [])],
      flows: [...(listeners.flows.get(entry.name) ?? [])],
      lists: [...(listeners.lists.get(entry.name) ?? [])],
    }))
    return { items, everyEvent: [...listeners.everyEvent] }
  })
}

type Observed = Readonly<{ name: string; properties: readonly string[] }>
type Declared = Observed & Readonly<{ id: string; label: string; retired: boolean }>

/** Each name once: what is declared and observed has the properties of both. */
const ownEvents = (declared: readonly Declared[], observed: readonly Observed[]): readonly Entry[] => {
  const seen = new Map(observed.map(({ name, properties }) => [name, properties]))
  const names = new Set(declared.map(({ name }) => name))
  const propertiesOf = ({ name, properties }: Observed): EventProperty[] =>
    [...new Set([...properties, ...(seen.get(name) ?? [])])].map((property) => ({ name: property, kind: null }))
  return [
    ...declared.map((event): Entry => ({ ...event, kind: 'declared', properties: propertiesOf(event) })),
    ...observed
      .filter(({ name }) => !names.has(name))
      .map(
        (event): Entry => ({
          ...{ id: null, name: event.name, label: event.name },
          ...{ kind: 'observed', retired: false, properties: propertiesOf(event) },
        }),
      ),
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
