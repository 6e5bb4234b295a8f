import { waitUntilVisible } from '@tidings/administration'
import { recordIdOf } from '@tidings/codec'
import { NewCustomEventBody, ShownCustomEvent } from '@tidings/contracts'
import { MAX_CUSTOM_EVENTS, Refused, type WorkspaceId } from '@tidings/domain'
import { type App, hasLeft } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { oneByOne } from '../editing/one-by-one.ts'
import { editableEvent, editedEvent, refuseRepeated } from './editable-event.ts'

const schema = {
  operationId: 'customEvents.create',
  summary: 'Declare a custom event',
  tags: ['events'],
  body: NewCustomEventBody,
  response: { 201: ShownCustomEvent },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['custom_event_exists', 'custom_event_limit_reached', 'event_name_reserved'],
} as const

/** Its id follows from its name, as in a file of `apply`: the same record from either side, and no name twice. */
export function declareCustomEvent(app: App, deps: DashboardDependencies): void {
  const alone = oneByOne()
  app.post('/custom-events', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name, label, propertyNames: properties } = request.body
    refuseRepeated(properties)
    const eventId = recordIdOf(workspaceId, 'event', name)
    const { decider, stream } = editableEvent({ workspaceId, eventId })
    await alone({ workspaceId, isGone: () => hasLeft(request) }, async () => {
      await refuseAboveLimit(deps, { workspaceId, eventId })
      const { position } = await createRecord(deps, request, {
        decider,
        stream,
        command: { type: 'DeclareCustomEvent', data: { eventId, name, label, properties, retired: false } },
        exists: (state) => state !== null,
        taken: 'custom_event_exists',
      })
      await waitUntilVisible(deps, reply, { position, projections: ['custom_events'] })
    })
    reply.code(201)
    return await editedEvent(deps, { workspaceId, eventId })
  })
}

/** One that is there already is not one more. */
const refuseAboveLimit = async (
  { db }: Pick<DashboardDependencies, 'db'>,
  { workspaceId, eventId }: Readonly<{ workspaceId: WorkspaceId; eventId: string }>,
): Promise<void> => {
  const others = forWorkspace(db, workspaceId).customEvents().select('id').where('id', '!=', eventId)
  if ((await others.limit(MAX_CUSTOM_EVENTS).execute()).length === MAX_CUSTOM_EVENTS) throw new Refused('custom_event_limit_reached')
}
