import { catalogueEvents, EventPage, StandardQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace, toCustomEventItem, toSystemEventItem } from '@tidings/read-models'
import { alphabetical, sliced } from '../alphabetical.ts'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'events.list',
  summary: 'List the event catalogue',
  tags: ['lookups'],
  querystring: StandardQuery,
  response: { 200: EventPage },
}

const systemEvents = catalogueEvents.map(({ name }) => toSystemEventItem(name))

const config = { dashboard: { role: 'member' } } as const

/** The built-in events, then the custom ones: declared in the workspace file, observed, or both; at most 1 000 are observed. */
export function listEvents(app: App, { db }: Dependencies): void {
  app.get('/public/events', { schema, config }, async ({ tenant, query }) => {
    const of = forWorkspace(db, tenant.workspaceId)
    const [declared, observed] = await Promise.all([
      of.customEvents().select(['name', 'label', 'properties', 'retired']).orderBy('id').execute(),
      of.observedEvents().select('name').orderBy('name').execute(),
    ])
    const customEvents = catalogued(declared, observed).sort((a, b) => alphabetical(a.name, b.name))
    const { items, ...page } = sliced([...systemEvents, ...customEvents], standardWindow(query))
    const names = items.flatMap((item) => ('name' in item ? [item.name] : []))
    const shown = names.length === 0 ? [] : await of.observedEvents().select(['name', 'properties']).where('name', 'in', names).execute()
    const seen = new Map(shown.map(({ name, properties }) => [name, properties]))
    return { ...page, items: items.map((item) => ('name' in item ? toCustomEventItem(item, seen.get(item.name)) : item)) }
  })
}

type Declared = Readonly<{ name: string; label: string; properties: readonly string[]; retired: boolean }>
type Catalogued = Omit<Declared, 'retired'>

/** Custom events of the catalogue, each name once: a declaration gives the label, and one that is retired hides what is observed (N123). */
function catalogued(declared: readonly Declared[], observed: readonly Readonly<{ name: string }>[]): Catalogued[] {
  const names = new Set(declared.map(({ name }) => name))
  const onlyObserved = observed.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, label: name, properties: [] }))
  return [...declared.filter(({ retired }) => !retired), ...onlyObserved]
}
