import type { ShownCustomEvent } from '@tidings/contracts'
import { customEvent, customEventStream, type DeclareCustomEvent, type WorkspaceId } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { lastChange } from '../editing/last-change.ts'

type OfEvent = Readonly<{ workspaceId: WorkspaceId; eventId: string }>
type Declared = DeclareCustomEvent['data']

/** A declaration has a stream of its own. */
export function editableEvent({ workspaceId, eventId }: OfEvent) {
  return {
    decider: customEvent,
    stream: customEventStream(workspaceId, eventId),
    recordIn: (state: Declared | null) => state,
    notFound: 'custom_event_not_found',
  } as const
}

/** The declaration as of the log. */
export async function editedEvent(deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>, of: OfEvent): Promise<ShownCustomEvent> {
  const editable = editableEvent(of)
  const { record, etag } = await readRecord(deps, of.workspaceId, editable)
  const { eventId: id, properties, ...event } = record
  const change = await lastChange(deps, of.workspaceId, editable)
  return { id, ...event, propertyNames: [...properties], updatedAt: change?.at ?? '', etag }
}

export function refuseRepeated(names: readonly string[]): void {
  const again = names.findIndex((name, at) => names.indexOf(name) < at)
  if (again >= 0) throw invalidRequest(`propertyNames[${again}] repeats "${names[again]}"`)
}
