import { isoNow } from '@tidings/async/clock'
import { uuidv7 } from '@tidings/codec'
import type { CommandRunner, StoredEvent } from '@tidings/commands'
import type { Decider, WorkspaceId } from '@tidings/domain'
import { comparePositions, type Position, START } from '@tidings/event-store'

/** Runs an operator's commands and remembers how far the log has to be read to show them. */
export type Provisioner = Readonly<{
  execute: <C, E extends StoredEvent, S>(
    workspaceId: WorkspaceId,
    decider: Decider<C, E, S>,
    stream: string,
    command: C,
  ) => Promise<readonly E[]>
  load: <C, E extends StoredEvent, S>(workspaceId: WorkspaceId, decider: Decider<C, E, S>, stream: string) => Promise<S>
  /** The dynamic lists of a workspace whose rules are in force. */
  dynamicLists: (workspaceId: WorkspaceId) => Promise<readonly string[]>
  /** The workspaces that have such a sender ID, whatever its status; a number with or without its plus. */
  workspacesWithSender: (senderIds: readonly string[]) => Promise<readonly WorkspaceId[]>
  /** The position of the last event that was appended here; START when nothing was. */
  last: () => Position
}>

/** `known`: what the log cannot say; by default there is none of it. */
export function createProvisioner(
  commands: CommandRunner,
  known: Partial<
    Readonly<{
      dynamicLists: (workspaceId: WorkspaceId) => Promise<readonly string[]>
      workspacesWithSender: (senderIds: readonly string[]) => Promise<readonly WorkspaceId[]>
    }>
  > = {},
): Provisioner {
  const { dynamicLists = async () => [], workspacesWithSender = async () => [] } = known
  let last = START
  return {
    dynamicLists,
    workspacesWithSender,
    execute: async (workspaceId, decider, stream, command) => {
      const commandId = uuidv7()
      const context = { commandId, workspaceId, actor: 'operator', requestId: commandId, at: isoNow() }
      const { events, position } = await commands.execute({ decider, stream, command, context })
      if (position && comparePositions(position, last) > 0) last = position
      return events
    },
    load: async (workspaceId, decider, stream) => (await commands.load({ workspaceId, decider, stream })).state,
    last: () => last,
  }
}
