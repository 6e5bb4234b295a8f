import { emailKey } from '@tidings/addresses'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type FormConfirmation, type FormId, ownValue, template, templateStream, workspace, workspaceStream } from '@tidings/domain'
import { senderAddressIds, templateCommands } from './plan.ts'
import type { Applying } from './steps.ts'
import { type ConfirmationMail, confirmationMistake } from './workspace-file/confirmation-mistake.ts'

/** `formId`: what it asks with already, it may go on asking with. */
type DeclaredConfirmation = Readonly<{ formId: FormId; template: string; from: string; path: string }>
type DeclaredMail = ConfirmationMail & Readonly<{ archived: boolean }>

/** The mail of a form with `doubleOptIn`: its template must be an email's that leads to the confirmation and is not archived, its sender must be there. */
export async function confirmationOf(applying: Applying, wanted: DeclaredConfirmation): Promise<FormConfirmation> {
  const { workspaceId } = applying
  const mail = await mailOf(applying, wanted.template)
  const path = `${wanted.path}.template: `
  if (mail === null) throw new OperationFailed(`${path}there is no template "${wanted.template}", neither in the file nor in the workspace`)
  const mistake = confirmationMistake(wanted.template, mail)
  if (mistake !== null) throw new OperationFailed(`${path}${mistake}`)
  const templateId = recordIdOf(workspaceId, 'template', wanted.template)
  if (mail.archived && (await templateOf(applying, wanted.formId)) !== templateId)
    throw new OperationFailed(`${path}"${wanted.template}" is archived`)
  return { templateId, senderAddressId: await senderOf(applying, wanted) }
}

/** The template that the form asks with now. */
const templateOf = async ({ to, workspaceId }: Applying, formId: FormId): Promise<string | undefined> => {
  const { forms } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  return ownValue(forms, formId)?.confirmation?.templateId
}

const mailOf = async ({ to, workspaceId, file }: Applying, name: string): Promise<DeclaredMail | null> => {
  const made = templateCommands(workspaceId, file).find(({ data }) => data.name === name)?.data
  if (made !== undefined) return made
  const stream = templateStream(workspaceId, recordIdOf(workspaceId, 'template', name))
  const { exists, channel, archived, content } = await to.load(workspaceId, template, stream)
  return exists ? { channel, archived, ...content } : null
}

const senderOf = async ({ to, workspaceId, file }: Applying, { from, path }: DeclaredConfirmation): Promise<string> => {
  const key = emailKey(from)
  const made = Object.entries(senderAddressIds(workspaceId, file)).find(([address]) => emailKey(address) === key)
  if (made !== undefined) return made[1]
  const { senderAddresses } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  const known = Object.values(senderAddresses).find(({ email }) => emailKey(email) === key)
  if (known === undefined)
    throw new OperationFailed(`${path}.from: there is no sender address "${from}", neither in the file nor in the workspace`)
  return known.addressId
}
