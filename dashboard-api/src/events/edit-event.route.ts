import { waitUntilVisible } from '@tidings/administration'
import { CustomEventParams, EditCustomEventBody, ShownCustomEvent } from '@tidings/contracts'
import type { DeclareCustomEvent } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableEvent, editedEvent, refuseRepeated } from './editable-event.ts'

const base = { tags: ['events'], params: CustomEventParams, response: { 200: ShownCustomEvent } }
const schema = { ...base, operationId: 'customEvents.get', summary: 'Read the declaration of a custom event as it is now' }
const editSchema = {
  ...{ ...base, operationId: 'customEvents.edit', summary: 'Change what a custom event is called and has, retire it, or bring it back' },
  body: EditCustomEventBody,
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['custom_event_not_found'] } as const
const editConfig = { ...config, edits: true } as const

/** Reports are never judged by a declaration: one of a retired event is recorded as any other. */
export function editCustomEvent(app: App, deps: DashboardDependencies): void {
  app.get('/custom-events/:id', { schema, config }, ({ tenant: { workspaceId }, params: { id: eventId } }) =>
    editedEvent(deps, { workspaceId, eventId }),
  )

  app.put('/custom-events/:id', { schema: editSchema, config: editConfig }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const of = { workspaceId, eventId: request.params.id }
    const { label, propertyNames: properties, retired } = request.body
    refuseRepeated(properties)
    const { position } = await saveRecord(deps, request, {
      editable: editableEvent(of),
      commandFor: ({ eventId, name }): DeclareCustomEvent => ({
        type: 'DeclareCustomEvent',
        data: { eventId, name, label, properties, retired },
      }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['custom_events'] })
    return await editedEvent(deps, of)
  })
}
