import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, type WorkspaceCommand, workspace, workspaceStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { waitForProcesses } from '@tidings/projections'
import { type Applied, applyWorkspaceFile, createProvisioner } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { untilVisible } from '@tidings/service/read-side'
import { dynamicListsIn, type Stores, workspacesWithSenderIn } from '@tidings/service/stores'
import { PATIENT_MS } from '@tidings/testing'

/** What an operator does, without a process for each command. */
export type Operator = Readonly<{
  /** Applies a whole workspace file; returns when it takes effect in every process and its reads show it. */
  apply: (source: string) => Promise<Applied>
  /** Does to a workspace what the operator's command line would; returns as `apply` does. */
  operate: (workspaceId: string, command: WorkspaceCommand) => Promise<void>
  /** Returns when everything in the log takes effect in every process and its reads show it. */
  settle: () => Promise<void>
}>

const TIMEOUT = { timeoutMs: 180_000 }

export function operatorOf({ log, pool }: Stores): Operator {
  const provisioner = createProvisioner(createCommandRunner({ log, deadlineMs: PATIENT_MS }), {
    dynamicLists: dynamicListsIn(pool),
    workspacesWithSender: workspacesWithSenderIn(pool),
  })
  const settleAt = async (position: Position): Promise<void> => {
    const [shown, inEffect] = await Promise.all([untilVisible(pool, position, TIMEOUT), waitForProcesses(pool, position, TIMEOUT)])
    if (!shown) throw new Error('the read side does not show what was written')
    if (!inEffect) throw new Error('a process has not heard what was written')
  }
  return {
    apply: async (source) => {
      const { applied } = await applyWorkspaceFile(provisioner, parseWorkspaceFile(source))
      await settleAt(provisioner.last())
      return applied
    },
    operate: async (workspaceId, command) => {
      await provisioner.execute(asWorkspaceId(workspaceId), workspace, workspaceStream(asWorkspaceId(workspaceId)), command)
      await settleAt(provisioner.last())
    },
    settle: async () => settleAt(await log.head()),
  }
}
