import { inOrder } from '@tidings/async'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import {
  asFormId,
  type ConfigureForm,
  type FormConfirmation,
  type ListId,
  list,
  listStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { confirmationOf } from './form-confirmation.ts'
import { type Applying, AT_ONCE, type Step } from './steps.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

type FormOfFile = NonNullable<WorkspaceFile['forms']>[number]

/** Asked before anything is written: throws one sentence for a list, template or sender that cannot be used. */
export async function formCommands(applying: Applying): Promise<readonly ConfigureForm[]> {
  return await inOrder(applying.file.forms ?? [], AT_ONCE, async (form, i) => {
    const [listId, confirmation] = [await listOf(applying, form, i), await mailOf(applying, form, i)]
    const data = { formId: asFormId(form.id), listId, confirmation, archived: form.archived ?? false }
    applying.onRecord()
    return { type: 'ConfigureForm', data }
  })
}

export function formSteps({ to, workspaceId }: Applying, commands: readonly ConfigureForm[]): readonly Step[] {
  return commands.map((command) => ({
    what: command.data.formId,
    run: () => to.execute(workspaceId, workspace, workspaceStream(workspaceId), command),
  }))
}

/** A list that members can be added to. */
const listOf = async ({ to, workspaceId, file }: Applying, { list: name }: FormOfFile, i: number): Promise<ListId> => {
  const listId = recordIdOf(workspaceId, 'list', name)
  const made = file.lists?.find((one) => one.name === name)?.type
  const type = made ?? (await to.load(workspaceId, list, listStream(workspaceId, listId)))?.listType
  if (type === undefined)
    throw new OperationFailed(`forms[${i}].list: there is no list "${name}", neither in the file nor in the workspace`)
  if (type !== 'static')
    throw new OperationFailed(`forms[${i}].list: "${name}" is a dynamic list, which no contact can join: name a static one`)
  return listId
}

/** Its own mail; where the file requires a confirmation of everybody, that of the first form with one (M56). */
const mailOf = async (applying: Applying, form: FormOfFile, i: number): Promise<FormConfirmation | null> => {
  const { forms = [], doubleOptIn } = applying.file
  const asked = doubleOptIn === 'required' && !form.doubleOptIn ? forms.findIndex((other) => other.doubleOptIn) : i
  const { doubleOptIn: isAsking, template = '', from = '' } = forms[asked] ?? form
  return isAsking ? await confirmationOf(applying, { formId: asFormId(form.id), template, from, path: `forms[${asked}]` }) : null
}
