import { template, templateStream } from '@tidings/domain'
import { OperationFailed } from '../terminal/answer.ts'
import type { WorkspaceFile } from '../workspace-file/schema.ts'
import { templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'

/** What only the log can tell: a template never changes its channel. Asked before anything is written. */
export const refuseChannelChanges = async (to: Provisioner, workspaceId: string, file: WorkspaceFile): Promise<void> => {
  for (const [i, { data }] of templateCommands(workspaceId, file).entries()) {
    const known = await to.load(workspaceId, template, templateStream(workspaceId, data.templateId))
    if (known.exists && known.channel !== data.channel) {
      throw new OperationFailed(
        `templates[${i}].channel: "${data.name}" is an ${known.channel} template, use another name for ${data.channel}`,
      )
    }
  }
}
