import { inOrder } from '@tidings/async'
import { OperationFailed } from '@tidings/config'
import { template, templateStream } from '@tidings/domain'
import { templateCommands } from './plan.ts'
import { type Applying, AT_ONCE } from './steps.ts'

/** Throws, before anything is written, where the file changes the channel of a template: only the log shows that. */
export async function refuseChannelChanges({ to, workspaceId, file, onRecord }: Applying): Promise<void> {
  await inOrder(templateCommands(workspaceId, file), AT_ONCE, async ({ data }, i) => {
    const known = await to.load(workspaceId, template, templateStream(workspaceId, data.templateId))
    if (known.exists && known.channel !== data.channel) {
      throw new OperationFailed(
        `templates[${i}].channel: "${data.name}" is an ${known.channel} template, use another name for ${data.channel}`,
      )
    }
    onRecord()
  })
}
