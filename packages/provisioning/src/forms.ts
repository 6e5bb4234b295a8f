import { OperationFailed } from '@tidings/config'
import { type ConfigureForm, list, listStream, workspace, workspaceStream } from '@tidings/domain'
import { recordIdOf } from './ids.ts'
import { inOrder } from './in-order.ts'
import { listCommands } from './plan.ts'
import { type Applying, AT_ONCE, type Step } from './steps.ts'

/** With the ids of their lists. Asked before anything is written: throws one sentence for a list that is neither in the file nor there. */
export async function formCommands({ to, workspaceId, file, onRecord }: Applying): Promise<readonly ConfigureForm[]> {
  const made = new Set(listCommands(workspaceId, file).map(({ data }) => data.name))
  return await inOrder(file.forms ?? [], AT_ONCE, async ({ id, list: name }, i) => {
    const listId = recordIdOf(workspaceId, 'list', name)
    if (!made.has(name) && (await to.load(workspaceId, list, listStream(workspaceId, listId))) === null)
      throw new OperationFailed(`forms[${i}].list: there is no list "${name}", neither in the file nor in the workspace`)
    onRecord()
    return { type: 'ConfigureForm', data: { formId: id, listId } }
  })
}

export function formSteps({ to, workspaceId }: Applying, commands: readonly ConfigureForm[]): readonly Step[] {
  return commands.map((command) => ({
    what: command.data.formId,
    run: () => to.execute(workspaceId, workspace, workspaceStream(workspaceId), command),
  }))
}
