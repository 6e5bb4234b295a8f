import { type EventLog, eventId } from '@tidings/codec'
import type { CommandApiDependencies } from '@tidings/command-api'
import type { CommandRunner } from '@tidings/commands'
import { createFlowEntry, createFlowView, type FlowEntry, type FlowView } from '@tidings/consumers'
import { activityStream } from '@tidings/domain'

/** `view` needs a follower. `enterByActivity`: for the route that recorded an activity. */
export type Flows = Readonly<{ view: FlowView; entry: FlowEntry; enterByActivity: NonNullable<CommandApiDependencies['enterFlows']> }>

/** The flows of this process: what the route of event ingest enters, and what the consumer of flows walks. */
export function createFlows(log: EventLog, commands: CommandRunner): Flows {
  const view = createFlowView(log)
  const entry = createFlowEntry({ log, commands, flows: view })
  return {
    view,
    entry,
    enterByActivity: ({ context, contactId, activityId, event, position }) => {
      const { workspaceId, commandId, requestId, at } = context
      const stream = activityStream(workspaceId, activityId)
      return entry.enterFlows({
        workspaceId,
        contactId,
        trigger: { type: 'custom_event', event },
        eventId: eventId(commandId, stream, 0),
        type: 'ActivityRecorded',
        stream,
        position,
        at,
        requestId,
      })
    },
  }
}
