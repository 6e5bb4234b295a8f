import { emailKey } from '@tidings/addresses'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type FormConfirmation, template, templateStream, workspace, workspaceStream } from '@tidings/domain'
import { senderAddressIds, templateCommands } from './plan.ts'
import type { Applying } from './steps.ts'
import { type ConfirmationMail, confirmationMistake } from './workspace-file/confirmation-mistake.ts'

type DeclaredConfirmation = Readonly<{ template: string; from: string; path: string }>

/** The mail of a form with `doubleOptIn`: its template must be an email's that leads to the confirmation, its sender must be there. */
export async function confirmationOf(applying: Applying, wanted: DeclaredConfirmation): Promise<FormConfirmation> {
  const { workspaceId } = applying
  const mail = await mailOf(applying, wanted.template)
  const path = `${wanted.path}.template: `
  if (mail === null) throw new OperationFailed(`${path}there is no template "${wanted.template}", neither in the file nor in the workspace`)
  const mistake = confirmationMistake(wanted.template, mail)
  if (mistake !== null) throw new OperationFailed(`${path}${mistake}`)
  return {
    templateId: recordIdOf(workspaceId, 'template', wanted.template),
    senderAddressId: await senderOf(applying, wanted),
  }
}

const mailOf = async ({ to, workspaceId, file }: Applying, name: string): Promise<ConfirmationMail | null> => {
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
