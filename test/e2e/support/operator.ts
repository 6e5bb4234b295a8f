import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, type WorkspaceCommand, workspace, workspaceStream } from '@tidings/domain'
import { waitForProcesses } from '@tidings/projections'
import { type Applied, applyWorkspaceFile, createProvisioner } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { untilVisible } from '@tidings/service/read-side'
import { dynamicListsIn, type Stores, workspacesWithSenderIn } from '@tidings/service/stores'

/** What an operator does, without a process for each command. */
export type Operator = Readonly<{
  /** Applies a whole workspace file; returns when it takes effect in every process and its reads show it. */
  apply: (source: string) => Promise<Applied>
  /** Does to a workspace what the operator's command line would; returns as `apply` does. */
  operate: (workspaceId: string, command: WorkspaceCommand) => Promise<void>
}>

const TIMEOUT = { timeoutMs: 60_000 }

export function operatorOf({ log, pool }: Stores): Operator {
  const provisioner = createProvisioner(createCommandRunner({ log }), {
    dynamicLists: dynamicListsIn(pool),
    workspacesWithSender: workspacesWithSenderIn(pool),
  })
  const settle = async (): Promise<void> => {
    const [shown, inEffect] = await Promise.all([
      untilVisible(pool, provisioner.last(), TIMEOUT),
      waitForProcesses(pool, provisioner.last(), TIMEOUT),
    ])
    if (!shown) throw new Error('the read side does not show what the operator did')
    if (!inEffect) throw new Error('a process has not heard what the operator did')
  }
  return {
    apply: async (source) => {
      const { applied } = await applyWorkspaceFile(provisioner, parseWorkspaceFile(source))
      await settle()
      return applied
    },
    operate: async (workspaceId, command) => {
      await provisioner.execute(asWorkspaceId(workspaceId), workspace, workspaceStream(asWorkspaceId(workspaceId)), command)
      await settle()
    },
  }
}
