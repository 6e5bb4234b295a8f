import { EventPage, StandardQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { builtInEvents, forWorkspace, toCustomEventItem, toSystemEventItem } from '@tidings/read-models'
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

const systemEvents = builtInEvents.map(toSystemEventItem)

export function listEvents(app: App, { db }: Dependencies): void {
  app.get('/public/events', { schema }, async ({ tenant, query }) => {
    const rows = await forWorkspace(db, tenant.workspaceId)
      .customEvents()
      .select(['name', 'label', 'properties'])
      .where('retired', '=', false)
      .orderBy('id')
      .execute()
    const customEvents = rows.map(toCustomEventItem).sort((a, b) => alphabetical(a.value, b.value))
    return sliced([...systemEvents, ...customEvents], standardWindow(query))
  })
}
