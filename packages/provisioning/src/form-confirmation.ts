import { emailKey } from '@tidings/addresses'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import {
  type FormConfirmation,
  mergeFields,
  mergeParts,
  type TemplateChannel,
  template,
  templateStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { htmlMergeParts } from '@tidings/mail-content'
import { senderAddressIds, templateCommands } from './plan.ts'
import type { Applying } from './steps.ts'

type DeclaredConfirmation = Readonly<{ template: string; from: string; path: string }>
type Mail = Readonly<{ channel: TemplateChannel; html: string | null; text: string | null }>

/** The mail of a form with `doubleOptIn`: its template must be an email's that leads to the confirmation, its sender must be there. */
export async function confirmationOf(applying: Applying, wanted: DeclaredConfirmation): Promise<FormConfirmation> {
  const { workspaceId } = applying
  const mail = await mailOf(applying, wanted.template)
  const path = `${wanted.path}.template: `
  if (mail === null) throw new OperationFailed(`${path}there is no template "${wanted.template}", neither in the file nor in the workspace`)
  if (mail.channel !== 'email')
    throw new OperationFailed(`${path}"${wanted.template}" is for ${mail.channel}, the confirmation is an email`)
  if (!leadsToConfirmation(mail))
    throw new OperationFailed(`${path}"${wanted.template}" must have the link {{confirmUrl}}, in its html and in its text if it has one`)
  return {
    templateId: recordIdOf(workspaceId, 'template', wanted.template),
    senderAddressId: await senderOf(applying, wanted),
  }
}

const leadsToConfirmation = ({ html, text }: Mail): boolean =>
  [htmlMergeParts(html ?? ''), ...(text === null ? [] : [mergeParts(text)])].every((parts) => mergeFields(parts).includes('confirmUrl'))

const mailOf = async ({ to, workspaceId, file }: Applying, name: string): Promise<Mail | null> => {
  const made = templateCommands(workspaceId, file).find(({ data }) => data.name === name)?.data
  if (made !== undefined) return made
  const stream = templateStream(workspaceId, recordIdOf(workspaceId, 'template', name))
  const { exists, channel, content } = await to.load(workspaceId, template, stream)
  return exists ? { channel, ...content } : null
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
