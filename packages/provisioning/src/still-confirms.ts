import { inOrder } from '@tidings/async'
import { OperationFailed } from '@tidings/config'
import { type ConfigureForm, template, templateStream, workspace, workspaceStream } from '@tidings/domain'
import { templateCommands } from './plan.ts'
import { type Applying, AT_ONCE } from './steps.ts'
import { confirmationMistake } from './workspace-file/confirmation-mistake.ts'

/**
 * Throws, before anything is written, where a template could ask no owner of an address any more, and a form goes on asking with it: what it was before,
 * stays. Archived forms count: a sign-up that names no form is asked, too (M106).
 */
export async function refuseLostConfirmations({ to, workspaceId, file }: Applying, forms: readonly ConfigureForm[]): Promise<void> {
  const commands = templateCommands(workspaceId, file)
  if (commands.length === 0) return
  const asking = await askingForms({ to, workspaceId }, forms)
  await inOrder(commands, AT_ONCE, async ({ data }, i) => {
    const formId = asking.get(data.templateId)
    if (formId === undefined) return
    const known = await to.load(workspaceId, template, templateStream(workspaceId, data.templateId))
    const asks = `the form "${formId}" asks to confirm sign-ups with`
    if (data.archived && !known.archived) throw new OperationFailed(`templates[${i}].archived: ${asks} it: choose another there first`)
    const was = known.exists ? confirmationMistake(data.name, { channel: known.channel, ...known.content }) : null
    const mistake = confirmationMistake(data.name, data)
    if (was === null && mistake !== null) throw new OperationFailed(`templates[${i}]: ${asks} this template: ${mistake}`)
  })
}

/** A form that asks with it, for each template that one does once the file is applied. */
const askingForms = async (
  { to, workspaceId }: Pick<Applying, 'to' | 'workspaceId'>,
  commands: readonly ConfigureForm[],
): Promise<ReadonlyMap<string, string>> => {
  const { forms } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  const known = Object.entries(forms).map(([formId, { confirmation }]) => [formId, confirmation] as const)
  const all = new Map([...known, ...commands.map(({ data }) => [data.formId, data.confirmation] as const)])
  return new Map([...all].flatMap(([formId, confirmation]) => (confirmation === null ? [] : [[confirmation.templateId, formId] as const])))
}
