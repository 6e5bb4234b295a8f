import { emailKey } from '@tidings/addresses'
import type { EditFormBody } from '@tidings/contracts'
import {
  type FormConfirmation,
  list,
  listStream,
  template,
  templateStream,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { confirmationMistake } from '@tidings/provisioning/workspace-file'
import type { DashboardDependencies } from '../dependencies.ts'
import type { FormRecord } from './forms.ts'

type Commands = Pick<DashboardDependencies, 'commands'>
type FormSettings = Pick<FormRecord, 'listId' | 'confirmation'>
type AskedSettings = Pick<EditFormBody, 'listId' | 'confirmation'>

/** What a body asks for, judged as a workspace file would be. What stays as it is, of a form that stays archived, is not judged again. */
export async function wantedForm(
  { commands }: Commands,
  workspaceId: WorkspaceId,
  { asked, known }: Readonly<{ asked: AskedSettings; known: FormSettings | null }>,
): Promise<FormSettings> {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const confirmation = asked.confirmation && {
    templateId: asked.confirmation.templateId,
    senderAddressId: senderIn(state, asked.confirmation.from),
  }
  if (known?.listId !== asked.listId) await refuseList({ commands }, workspaceId, asked.listId)
  const isKnown = known?.confirmation?.templateId === confirmation?.templateId
  if (confirmation !== null && !isKnown) await refuseTemplate({ commands }, workspaceId, confirmation.templateId)
  return { listId: asked.listId, confirmation }
}

const senderIn = ({ senderAddresses }: WorkspaceState, from: string): string => {
  const known = Object.values(senderAddresses).find(({ email }) => emailKey(email) === emailKey(from))
  if (known === undefined) throw invalidRequest(`confirmation.from: there is no sender address "${from}" in this workspace`)
  return known.addressId
}

const refuseList = async ({ commands }: Commands, workspaceId: WorkspaceId, listId: FormSettings['listId']): Promise<void> => {
  const { state } = await commands.load({ decider: list, stream: listStream(workspaceId, listId), workspaceId })
  if (state === null) throw invalidRequest('listId: there is no such list in this workspace')
  if (state.listType !== 'static')
    throw invalidRequest(`listId: "${state.name}" is a dynamic list, which no contact can join: name a static one`)
}

const refuseTemplate = async (
  { commands }: Commands,
  workspaceId: WorkspaceId,
  templateId: FormConfirmation['templateId'],
): Promise<void> => {
  const { state } = await commands.load({ decider: template, stream: templateStream(workspaceId, templateId), workspaceId })
  if (!state.exists) throw invalidRequest('confirmation.templateId: there is no such template in this workspace')
  if (state.archived) throw invalidRequest(`confirmation.templateId: "${state.name}" is archived`)
  const mistake = confirmationMistake(state.name, { channel: state.channel, ...state.content })
  if (mistake !== null) throw invalidRequest(`confirmation.templateId: ${mistake}`)
}
