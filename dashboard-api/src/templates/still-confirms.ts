import { type FormId, type TemplateId, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { type ConfirmationMail, confirmationMistake } from '@tidings/provisioning/workspace-file'
import type { DashboardDependencies } from '../dependencies.ts'

type OfTemplate = Readonly<{ workspaceId: WorkspaceId; templateId: TemplateId }>

/** A form whose sign-ups are asked to confirm with the template; null where none is. Archived ones count: a sign-up that names no form is asked, too (M106). */
export async function formThatAsks(
  { commands }: Pick<DashboardDependencies, 'commands'>,
  { workspaceId, templateId }: OfTemplate,
): Promise<FormId | null> {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const found = Object.entries(state.forms).find(([, { confirmation }]) => confirmation?.templateId === templateId)
  return found === undefined ? null : (found[0] as FormId)
}

/** Refuses texts that lead to no confirmation any more. `formId`: of `formThatAsks`. */
export function assertStillConfirms(formId: FormId | null, { name, ...mail }: ConfirmationMail & Readonly<{ name: string }>): void {
  const mistake = formId === null ? null : confirmationMistake(name, mail)
  if (mistake !== null) throw invalidRequest(`The form "${formId}" asks to confirm sign-ups with this template: ${mistake}`)
}
